// The items of an answer: each writes its first event, every delta, and its closing event with the whole content.

import type { RawValue } from '../../../kit/json/raw-json.ts';
import type { Frame } from '../../translate/adapters.ts';
import type { Block, UrlCitation } from '../../translate/answer-events.ts';
import { packReasoning } from '../../translate/opaque.ts';

export interface ItemWriter {
  /** Whether this block belongs to the same item. */
  takes(block: Block): boolean;
  open(block: Block): Frame[];
  delta(text: string): Frame[];
  sign(signature: string): Frame[];
  cite(citation: UrlCitation): Frame[];
  /** The closing events of its parts; that of the item follows. */
  close(): Frame[];
  item(status: ItemStatus): RawValue;
}

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** Writes an event with the id of this item. */
type WriteEvent = (type: string, fields: Record<string, RawValue>) => Frame;

const NO_SUPPORT = { takes: () => false, sign: () => [], cite: () => [] };

interface MessagePart {
  kind: 'text' | 'refusal';
  text: string;
  annotations: RawValue[];
  /** Where its text begins in the text of the whole answer. */
  start: number;
}

/** `textBefore`: how long the text of the answer is so far. */
export function messageItem(id: string, writeEvent: WriteEvent, textBefore: () => number): ItemWriter {
  const parts: MessagePart[] = [];
  const at = () => ({ content_index: parts.length - 1 });

  function endPart(): Frame[] {
    const part = parts.at(-1);
    if (!part) return [];
    const [name, whole] =
      part.kind === 'text' ? ['output_text', { text: part.text, logprobs: [] }] : ['refusal', { refusal: part.text }];
    return [
      writeEvent(`response.${name}.done`, { ...at(), ...whole }),
      writeEvent('response.content_part.done', { ...at(), part: writePart(part) }),
    ];
  }

  return {
    ...NO_SUPPORT,
    takes: ({ kind }) => kind === 'text' || kind === 'refusal',
    open({ kind }) {
      if (kind !== 'text' && kind !== 'refusal') return [];
      // Text that continues after a pause is the same part.
      if (parts.at(-1)?.kind === kind) return [];
      const ends = endPart();
      const part: MessagePart = { kind, text: '', annotations: [], start: textBefore() };
      parts.push(part);
      return [...ends, writeEvent('response.content_part.added', { ...at(), part: writePart(part) })];
    },
    delta(text) {
      const part = parts.at(-1);
      if (!part) return [];
      part.text += text;
      return part.kind === 'text'
        ? [writeEvent('response.output_text.delta', { ...at(), delta: text, logprobs: [] })]
        : [writeEvent('response.refusal.delta', { ...at(), delta: text })];
    },
    cite({ url, title, start, end }) {
      const part = parts.at(-1);
      if (part?.kind !== 'text') return [];
      const [start_index, end_index] = [start - part.start, end - part.start].map((offset) => Math.max(0, offset));
      const annotation = { type: 'url_citation', url, title, start_index, end_index };
      part.annotations.push(annotation);
      const annotation_index = part.annotations.length - 1;
      return [writeEvent('response.output_text.annotation.added', { ...at(), annotation_index, annotation })];
    },
    close: endPart,
    item: (status) => ({ id, type: 'message', status, content: parts.map(writePart), role: 'assistant' }),
  };
}

function writePart({ kind, text, annotations }: MessagePart): RawValue {
  return kind === 'text'
    ? { type: 'output_text', annotations: [...annotations], logprobs: [], text }
    : { type: 'refusal', refusal: text };
}

interface ReturnedReasoning {
  /** The model that may receive it again. */
  origin: string;
  isMoved: boolean;
}

/** `back`: set if the client asked for reasoning that it can send back. */
export function reasoningItem(id: string, writeEvent: WriteEvent, back: ReturnedReasoning | undefined): ItemWriter {
  let text = '';
  let signature: string | undefined;
  let redacted: string | undefined;
  const at = { summary_index: 0 };
  const part = () => ({ type: 'summary_text', text });

  return {
    ...NO_SUPPORT,
    open(block) {
      if (block.kind === 'redacted') redacted = block.data;
      return [];
    },
    delta(more) {
      const begin = text === '' ? [writeEvent('response.reasoning_summary_part.added', { ...at, part: part() })] : [];
      text += more;
      return [...begin, writeEvent('response.reasoning_summary_text.delta', { ...at, delta: more })];
    },
    sign(value) {
      signature = value;
      return [];
    },
    close: () =>
      text === ''
        ? []
        : [
            writeEvent('response.reasoning_summary_text.done', { ...at, text }),
            writeEvent('response.reasoning_summary_part.done', { ...at, part: part() }),
          ],
    item(status) {
      const known = {
        ...(redacted === undefined ? {} : { redacted }),
        ...(signature === undefined ? {} : { signature }),
        ...(back?.isMoved ? { isMoved: true } : {}),
      };
      const packed =
        back === undefined || status === 'in_progress' ? undefined : packReasoning(back.origin, { text, ...known });
      return { id, type: 'reasoning', encrypted_content: packed, summary: text === '' ? [] : [part()] };
    },
  };
}

export interface Call {
  callId: string;
  name: string;
  namespace: string | undefined;
  isCustom: boolean;
}

export function callItem(id: string, writeEvent: WriteEvent, { callId, name, namespace, isCustom }: Call): ItemWriter {
  const [type, field, event] = isCustom
    ? (['custom_tool_call', 'input', 'response.custom_tool_call_input'] as const)
    : (['function_call', 'arguments', 'response.function_call_arguments'] as const);
  let text = '';

  function delta(more: string): Frame[] {
    text += more;
    return [writeEvent(`${event}.delta`, { delta: more })];
  }

  return {
    ...NO_SUPPORT,
    open: () => [],
    delta,
    // Arguments must be JSON, and an empty text is not.
    close: () => [...(text === '' && !isCustom ? delta('{}') : []), writeEvent(`${event}.done`, { [field]: text })],
    item: (status) => ({ id, type, status, [field]: text, call_id: callId, name, namespace }),
  };
}
