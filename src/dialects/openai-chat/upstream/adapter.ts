// The OpenAI chat format as an upstream's, for clients of any other. A request is written here; custom tools become functions. A
// chat has messages of the system, the user and the assistant, and results of tools as text; images and files of a result are
// sent in a user message right after it. Parts that an upstream does not support are refused by their place in the client's
// body. An answer is read by read-events.ts, as a stream or whole: what a delta says in read-delta.ts, which call it is of in
// call-slots.ts.

import { createHash } from 'node:crypto';
import { type RawValue, writeJson } from '../../../kit/json/raw-json.ts';
import { effortsOf, openaiTraits } from '../../../vendors/openai.ts';
import type { Quirks } from '../../../vendors/quirks.ts';
import type { UpstreamFields } from '../../dialect.ts';
import { refuseField } from '../../fields.ts';
import { addressOf } from '../../media/read-media.ts';
import type { BodyOptions, Target, UpstreamAdapter, WrittenRequest } from '../../translate/adapters.ts';
import { appendPrefill, arrangeTurns, prepareBegunAnswer, withParts } from '../../translate/arrange-turns.ts';
import { asFailure, refuseKind, textOfPart } from '../../translate/as-text.ts';
import { SAMPLING } from '../../translate/check-settings.ts';
import type {
  Conversation,
  DocumentPart,
  OutputFormat,
  Part,
  ReasoningPart,
  RequestedReasoning,
  SettingKind,
  ToolCallPart,
  ToolResultPart,
  Turn,
} from '../../translate/conversation.ts';
import { effortFor } from '../../translate/effort.ts';
import { type Written, writeSettings } from '../../translate/openai-settings.ts';
import { describedSchema, schemaHint } from '../../translate/tools/format-tool.ts';
import { writeTools } from '../../translate/tools/openai-tools.ts';
import { objectArguments } from '../../translate/tools/tool-arguments.ts';
import { type ToolNames, withUpstreamNames } from '../../translate/tools/tool-names.ts';
import { writeAsStream } from '../other-form.ts';
import { shareBound } from '../share-bound.ts';
import { createEventReader, readWhole } from './read-events.ts';
import { hasOwnDetails, writeDetails } from './reasoning-details.ts';

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

function writeReasoning(requested: RequestedReasoning | undefined, { quirks, model }: Target): Written {
  const { takesEffort, alwaysThinks } = openaiTraits(model);
  const word = requested && effortFor(requested, effortsOf(quirks, model));
  if (!requested || word === undefined) return { members: {}, dropped: [] };
  // A model that never thinks needs no setting for that.
  if (!takesEffort) return { members: {}, dropped: requested.isOff && !alwaysThinks ? [] : [requested.name] };
  if (!quirks.takesEffort) return { members: {}, dropped: [requested.name] };
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

type MessageOptions = Pick<Target, 'quirks' | 'origin'> & { names: ToolNames };

type Message = { [name: string]: RawValue | undefined };

const PARAGRAPH = '\n\n';

/** Upstreams want one system message, and want it first. */
function writeSystem(texts: readonly string[]): Message[] {
  const said = texts.filter((text) => text.trim() !== '');
  return said.length > 0 ? [{ role: 'system', content: said.join(PARAGRAPH) }] : [];
}

function writeTurn(turn: Turn, options: MessageOptions): Message[] {
  if (turn.role === 'assistant') return [writeAssistant(turn.parts, options)];
  if (turn.role === 'system') return [{ role: options.quirks.midSystem, content: joinTexts(turn.parts, PARAGRAPH) }];
  return writeUser(turn.parts, options);
}

function writeUser(parts: readonly Part[], { quirks }: MessageOptions): Message[] {
  const results = writeResults(parts, quirks);
  const said = parts.filter((part) => part.type !== 'tool_result').map((part) => writeContentPart(part, quirks));
  const content = [...results.shown, ...said];
  return content.length > 0 ? [...results.messages, { role: 'user', content: simplest(content) }] : results.messages;
}

/** All of them first and in a row. Images are shown after the last one, and the text says which is which. */
function writeResults(parts: readonly Part[], quirks: Quirks): { messages: Message[]; shown: Message[] } {
  const shown: { label: string; part: Message }[] = [];

  function textOf(part: ToolResultPart['content'][number]): string {
    const text = textOfPart(part);
    if (text !== undefined) return text;
    const label = `${part.type} ${shown.length + 1}`;
    shown.push({ label, part: writeContentPart(part, quirks) });
    return `[${label} attached below]`;
  }

  const results = parts.filter((part) => part.type === 'tool_result');
  const messages = results.map(({ callId, content, isError }) => {
    const text = content.map(textOf).join('\n');
    return { role: 'tool', tool_call_id: writeCallId(callId, quirks), content: isError ? asFailure(text) : text };
  });
  const needsLabels = shown.length > 1;
  return {
    messages,
    shown: shown.flatMap(({ label, part }) => (needsLabels ? [{ type: 'text', text: `[${label}]` }, part] : [part])),
  };
}

function writeContentPart(part: Part, quirks: Quirks): Message {
  const text = textOfPart(part);
  if (text !== undefined) return { type: 'text', text };
  switch (part.type) {
    case 'image':
      return { type: 'image_url', image_url: { url: addressOf(part.source), detail: part.detail } };
    case 'document':
      return writeFile(part, quirks);
    case 'audio':
      if (!quirks.takesFiles) return refuseKind(part);
      return { type: 'input_audio', input_audio: { data: part.data, format: part.format } };
    default:
      return refuseKind(part);
  }
}

function writeFile({ source, title, at }: DocumentPart, { takesFiles }: Quirks): Message {
  if (!takesFiles || source.kind !== 'base64') {
    return refuseField(
      at,
      `This model does not accept such a document (${at}). Send it as text, or use another model.`,
    );
  }
  return { type: 'file', file: { filename: title ?? 'document.pdf', file_data: addressOf(source) } };
}

const ANSWER_TO_RESULTS: Message = { role: 'assistant', content: 'OK.' };

/** For an upstream that refuses a user message right after results: an assistant message is inserted. */
function answerResults(messages: readonly Message[]): Message[] {
  const isUserOrSystem = ({ role }: Message) => role !== 'tool' && role !== 'assistant';
  return messages.flatMap((message, index) =>
    isUserOrSystem(message) && messages[index - 1]?.role === 'tool' ? [ANSWER_TO_RESULTS, message] : [message],
  );
}

/** Not every upstream takes parts where a text would do. */
function simplest(content: readonly Message[]): RawValue {
  const texts = content.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  return texts.length === content.length ? texts.join(PARAGRAPH) : [...content];
}

function writeAssistant(parts: readonly Part[], options: MessageOptions): Message {
  const calls = parts.filter((part) => part.type === 'tool_call');
  const thoughts = parts.filter((part) => part.type === 'reasoning');
  const words = parts.filter((part) => part.type !== 'tool_call' && part.type !== 'reasoning');
  const content = joinTexts(words, '');
  // An upstream that requires thoughts refuses null: it gets an empty text.
  const isWordless = content === '' && calls.length > 0 && !options.quirks.needsThoughts;
  return {
    role: 'assistant',
    content: isWordless ? null : content,
    ...writeThoughts(thoughts, calls.length > 0, options),
    tool_calls: calls.length > 0 ? calls.map((call) => writeCall(call, options)) : undefined,
  };
}

/** Replaces thoughts that are unreadable or missing, because an empty text is refused. */
const NO_THOUGHTS = '(not kept)';

function writeThoughts(thoughts: readonly ReasoningPart[], hasCalls: boolean, options: MessageOptions): Message {
  const { reasoningField, needsThoughts } = options.quirks;
  const details = writeDetails(thoughts, options);
  if (details) return { reasoning_details: details };
  if (reasoningField === undefined) return {};
  if (thoughts.length > 0) return { [reasoningField]: thoughts.map(({ text }) => text).join('') };
  return needsThoughts && hasCalls ? { [reasoningField]: NO_THOUGHTS } : {};
}

/**
 * Thoughts are sent to the model that made them, or to any if their maker is unknown, and only to upstreams that accept them. An
 * upstream that requires thoughts gets the text of any model's, without signatures.
 */
function isWanted(part: Part, options: Pick<MessageOptions, 'quirks' | 'origin'>): boolean {
  if (part.type !== 'reasoning' || hasOwnDetails(part, options)) return true;
  const { reasoningField, needsThoughts } = options.quirks;
  const isTheirs = part.opaque !== undefined && part.opaque.origin !== options.origin;
  const isReadable = part.text !== '' && part.redacted === undefined;
  return reasoningField !== undefined && isReadable && (needsThoughts || !isTheirs);
}

function writeCall(call: ToolCallPart, { quirks, names, origin }: MessageOptions): Message {
  const { id, name, opaque } = call;
  const isOwn = opaque?.origin === origin && opaque.value !== '';
  return {
    id: writeCallId(id, quirks),
    type: 'function',
    function: { name: names.toUpstream(name), arguments: objectArguments(call) },
    extra_content: isOwn ? { google: { thought_signature: opaque.value } } : undefined,
  };
}

const FITTING_IDS = {
  any: { fits: /^/, chars: 0 },
  nine: { fits: /^[a-zA-Z0-9]{9}$/, chars: 9 },
  forty: { fits: /^.{0,40}$/s, chars: 40 },
};

/** The same id gives the same one each time: a call and its result must find each other. */
function writeCallId(id: string, { callIds }: Quirks): string {
  const { fits, chars } = FITTING_IDS[callIds];
  return fits.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, chars);
}

function joinTexts(parts: readonly Part[], between: string): string {
  return parts.map((part) => textOfPart(part) ?? refuseOther(part)).join(between);
}

function refuseOther({ at }: Part): never {
  return refuseField(at, `This model accepts only text at ${at}. Remove it, or make it text.`);
}
