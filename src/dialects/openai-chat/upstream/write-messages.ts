// Turns as chat messages. A chat has messages of the system, the user and the assistant, and results of tools as text; images and
// files of a result are sent in a user message right after it. Parts that an upstream does not support are refused by their
// place in the client's body.

import { createHash } from 'node:crypto';
import type { RawValue } from '../../../kit/json/raw-json.ts';
import type { Quirks } from '../../../vendors/quirks.ts';
import { refuseField } from '../../fields.ts';
import { addressOf } from '../../media/read-media.ts';
import { asFailure, refuseKind, textOfPart } from '../../translate/as-text.ts';
import type {
  DocumentPart,
  Part,
  ReasoningPart,
  ToolCallPart,
  ToolResultPart,
  Turn,
} from '../../translate/conversation.ts';
import { objectArguments } from '../../translate/tools/tool-arguments.ts';
import type { ToolNames } from '../../translate/tools/tool-names.ts';
import { hasOwnDetails, writeDetails } from './reasoning-details.ts';

export interface MessageOptions {
  quirks: Quirks;
  names: ToolNames;
  /** Opaque values of this maker go back. */
  origin: string;
}

type Message = { [name: string]: RawValue | undefined };

const PARAGRAPH = '\n\n';

/** Upstreams want one system message, and want it first. */
export function writeSystem(texts: readonly string[]): Message[] {
  const said = texts.filter((text) => text.trim() !== '');
  return said.length > 0 ? [{ role: 'system', content: said.join(PARAGRAPH) }] : [];
}

export function writeTurn(turn: Turn, options: MessageOptions): Message[] {
  if (turn.role === 'assistant') return [writeAssistant(turn.parts, options)];
  if (turn.role === 'system') return [{ role: options.quirks.midSystem, content: joinTexts(turn.parts, PARAGRAPH) }];
  return writeUser(turn.parts, options);
}

function writeUser(parts: readonly Part[], { quirks }: MessageOptions): Message[] {
  const results = writeResults(
    parts.filter((part) => part.type === 'tool_result'),
    quirks,
  );
  const said = parts.filter((part) => part.type !== 'tool_result').map((part) => writeContentPart(part, quirks));
  const content = [...results.shown, ...said];
  return content.length > 0 ? [...results.messages, { role: 'user', content: simplest(content) }] : results.messages;
}

/** All of them first and in a row. Images are shown after the last one, and the text says which is which. */
function writeResults(results: readonly ToolResultPart[], quirks: Quirks): { messages: Message[]; shown: Message[] } {
  const shown: { label: string; part: Message }[] = [];

  function textOf(part: ToolResultPart['content'][number]): string {
    const text = textOfPart(part);
    if (text !== undefined) return text;
    const label = `${part.type} ${shown.length + 1}`;
    shown.push({ label, part: writeContentPart(part, quirks) });
    return `[${label} attached below]`;
  }

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
export function answerResults(messages: readonly Message[]): Message[] {
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
export function isWanted(part: Part, options: Pick<MessageOptions, 'quirks' | 'origin'>): boolean {
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
