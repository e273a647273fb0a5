// The Responses format as an upstream's, for clients of any other. A request is written here, its text and calls of tools by
// write-turns.ts. Nothing is stored there, so the whole history is sent. An answer is read by read-events.ts, as a stream or
// whole, with the help of the same dialect's reader one folder up: which item an event is of in item-places.ts.

import { writeJson } from '../../../kit/json/raw-json.ts';
import { MIN_OUTPUT_TOKENS } from '../../../kit/tokens.ts';
import { effortsOf, openaiTraits } from '../../../vendors/openai.ts';
import type { UpstreamFields } from '../../dialect.ts';
import type { BodyOptions, Target, UpstreamAdapter, WrittenRequest } from '../../translate/adapters.ts';
import { appendPrefill, arrangeTurns, prepareBegunAnswer, withParts } from '../../translate/arrange-turns.ts';
import type { Conversation, OutputFormat, ReasoningWish, SettingKind } from '../../translate/conversation.ts';
import { effortFor } from '../../translate/effort.ts';
import { type Written, writeSettings } from '../../translate/openai-settings.ts';
import { writeTools } from '../../translate/tools/openai-tools.ts';
import { withUpstreamNames } from '../../translate/tools/tool-names.ts';
import { writeAsStream } from '../other-form.ts';
import { DROPPED_UNSEALED } from '../write-request.ts';
import { createEventReader, readWhole } from './read-events.ts';
import { isWanted, writeTurn } from './write-turns.ts';

export const openaiResponsesUpstream: UpstreamAdapter = {
  takesInside: [],
  writeConversation,
  createEventReader,
  readWhole,
  writeAsStream,
};

/** It has no field for stop sequences, so the gateway matches these itself. */
const SETTINGS = {
  carried: new Set<SettingKind>(['temperature', 'top_p', 'prompt_cache_key', 'service_tier', 'verbosity', 'user']),
  userField: 'safety_identifier',
  mostStops: 0,
};

function writeConversation(conversation: Conversation, target: Target): WrittenRequest {
  const { prefill, quirks, origin } = target;
  const tools = writeTools(conversation, quirks, {
    wrap: (fields) => ({ type: 'function', ...fields }),
    notStrict: false,
  });
  const named = withUpstreamNames(conversation, tools.names);
  const settings = writeSettings(conversation.settings, target, SETTINGS);
  const { verbosity, ...others } = settings.members;
  const reasoning = writeReasoning(conversation.reasoning, target);
  const instructions = named.system.map(({ text }) => text).filter((text) => text.trim() !== '');
  const usable = named.turns.map((turn) => withParts(turn, (part) => isWanted(part, origin)));
  const { turns, isReworded } = prepareBegunAnswer(arrangeTurns(usable, quirks), prefill);
  // Written at once, so that a request that cannot be carried is refused before anything is sent.
  const input = turns.flatMap((turn) => writeTurn(turn, { quirks, names: tools.names }));
  const text = { ...writeFormat(conversation.format), ...(verbosity === undefined ? {} : { verbosity }) };

  function body(fields: UpstreamFields, asked: BodyOptions): string {
    const items = fields.withoutSealed ? input.filter(({ type }) => type !== 'reasoning') : input;
    return writeJson({
      model: fields.model,
      instructions: instructions.length > 0 ? instructions.join('\n\n') : undefined,
      input: asked.prefill === undefined ? items : appendPrefill(items, turns.at(-1), asked.prefill),
      ...tools.members,
      ...reasoning.members,
      ...others,
      text: Object.keys(text).length > 0 ? text : undefined,
      max_output_tokens: Math.max(fields.maxOutputTokens, MIN_OUTPUT_TOKENS),
      store: false,
      stream: asked.stream,
    });
  }

  return {
    body,
    dropped: [...settings.dropped, ...reasoning.dropped, ...tools.dropped],
    droppedUnsealed: DROPPED_UNSEALED,
    reworded: isReworded ? ['prefill'] : [],
    names: tools.names,
    localStops: settings.localStops,
  };
}

function writeFormat(format: OutputFormat | undefined): Written['members'] {
  if (!format) return {};
  if (format.kind === 'json_object') return { format: { type: 'json_object' } };
  const { name = 'output', description, schema, strict } = format;
  return { format: { type: 'json_schema', name, description, schema, strict } };
}

/** Reasoning is requested encrypted, to be sent back. A summary is not requested: OpenAI refuses the call if the organization is
 * not verified. */
function writeReasoning(wish: ReasoningWish | undefined, { quirks, model }: Target): Written {
  const { takesEffort, alwaysThinks } = openaiTraits(model);
  const word = wish && effortFor(wish, effortsOf(quirks, model));
  const include = ['reasoning.encrypted_content'];
  if (alwaysThinks) return { members: { include }, dropped: wish && word !== undefined ? [wish.name] : [] };
  if (!quirks.takesEffort || !takesEffort) return { members: {}, dropped: wish && !wish.isOff ? [wish.name] : [] };
  return { members: { include, reasoning: word === undefined ? undefined : { effort: word } }, dropped: [] };
}
