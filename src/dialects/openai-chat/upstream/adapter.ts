// The OpenAI chat format as an upstream's, for clients of any other. A request is written here, its text and calls of tools by
// write-messages.ts; custom tools become functions. An answer is read by read-events.ts, as a stream or whole: what a delta says
// in read-delta.ts, which call it is of in call-slots.ts.

import { type RawValue, writeJson } from '../../../kit/json/raw-json.ts';
import { effortsOf, openaiTraits } from '../../../vendors/openai.ts';
import type { Quirks } from '../../../vendors/quirks.ts';
import type { UpstreamFields } from '../../dialect.ts';
import type { BodyOptions, Target, UpstreamAdapter, WrittenRequest } from '../../translate/adapters.ts';
import { appendPrefill, arrangeTurns, prepareBegunAnswer, withParts } from '../../translate/arrange-turns.ts';
import { SAMPLING } from '../../translate/check-settings.ts';
import type { Conversation, OutputFormat, ReasoningWish, SettingKind } from '../../translate/conversation.ts';
import { effortFor } from '../../translate/effort.ts';
import { type Written, writeSettings } from '../../translate/openai-settings.ts';
import { describedSchema, schemaHint } from '../../translate/tools/format-tool.ts';
import { writeTools } from '../../translate/tools/openai-tools.ts';
import { withUpstreamNames } from '../../translate/tools/tool-names.ts';
import { writeAsStream } from '../other-form.ts';
import { shareBound } from '../share-bound.ts';
import { createEventReader, readWhole } from './read-events.ts';
import { answerResults, isWanted, type MessageOptions, writeSystem, writeTurn } from './write-messages.ts';

export const openaiChatUpstream: UpstreamAdapter = {
  takesInside: ['document'],
  writeConversation,
  createEventReader,
  readWhole,
  writeAsStream,
};

const CARRIED = new Set<SettingKind>([...SAMPLING, 'seed', 'verbosity', 'prompt_cache_key', 'user', 'service_tier']);
const MAX_STOPS = 4;

function writeConversation(conversation: Conversation, target: Target): WrittenRequest {
  const { quirks, origin, prefill, model } = target;
  const wrap = (fields: RawValue) => ({ type: 'function', function: fields });
  const tools = writeTools(conversation, quirks, { wrap, notStrict: undefined });
  if (conversation.toolChoice?.mode === 'none') delete tools.members.parallel_tool_calls;
  const named = withUpstreamNames(conversation, tools.names);
  const mostStops = openaiTraits(model).takesStops ? MAX_STOPS : 0;
  const settings = writeSettings(conversation.settings, target, { carried: CARRIED, userField: 'user', mostStops });
  const reasoning = writeReasoning(conversation.reasoning, target);
  const format = writeFormat(conversation.format, quirks);
  const options: MessageOptions = { quirks, names: tools.names, origin };
  const usable = named.turns.map((turn) => withParts(turn, (part) => isWanted(part, options)));
  const { turns, isReworded } = prepareBegunAnswer(arrangeTurns(usable, quirks), prefill);
  // Written at once, so that a request that cannot be carried is refused before anything is sent.
  const said = turns.flatMap((turn) => writeTurn(turn, options));
  const messages = [
    ...writeSystem([...named.system.map(({ text }) => text), ...format.hints]),
    ...(quirks.wantsAnswerToResults ? answerResults(said) : said),
  ];

  function body(fields: UpstreamFields, asked: BodyOptions): string {
    const { answer, edits: shared } = shareBound({}, fields.maxOutputTokens, fields.thinksBeside);
    return writeJson({
      model: fields.model,
      messages: asked.prefill === undefined ? messages : appendPrefill(messages, turns.at(-1), asked.prefill),
      ...tools.members,
      ...format.members,
      ...reasoning.members,
      ...settings.members,
      [fields.limitField]: answer,
      ...shared,
      stream: asked.stream,
      stream_options: asked.stream ? { include_usage: true } : undefined,
    });
  }

  return {
    body,
    dropped: [...settings.dropped, ...reasoning.dropped, ...tools.dropped],
    reworded: isReworded ? ['prefill'] : [],
    names: tools.names,
    localStops: settings.localStops,
  };
}

function writeReasoning(wish: ReasoningWish | undefined, { quirks, model }: Target): Written {
  const { takesEffort, alwaysThinks } = openaiTraits(model);
  const word = wish && effortFor(wish, effortsOf(quirks, model));
  if (!wish || word === undefined) return { members: {}, dropped: [] };
  // A model that never thinks needs no setting for that.
  if (!takesEffort) return { members: {}, dropped: wish.isOff && !alwaysThinks ? [] : [wish.name] };
  if (!quirks.takesEffort) return { members: {}, dropped: [wish.name] };
  return { members: { reasoning_effort: word }, dropped: [] };
}

/** `hints`: instructions, for an upstream without such a setting. */
function writeFormat(format: OutputFormat | undefined, { takesSchema }: Quirks) {
  if (!format) return { members: {}, hints: [] };
  const members = { response_format: { type: 'json_object' } };
  if (format.kind === 'json_object') return { members, hints: ['Answer with a JSON object.'] };
  if (!takesSchema) return { members, hints: [schemaHint(describedSchema(format))] };
  const { name = 'output', description, schema, strict } = format;
  const json_schema = { name, description, schema, strict };
  return { members: { response_format: { type: 'json_schema', json_schema } }, hints: [] };
}
