// Writes an answer for a Gemini client, streamed or whole. The sender adds the usage.

import type { JsonObject } from '../../../kit/json/json.ts';
import { type RawValue, writeJson } from '../../../kit/json/raw-json.ts';
import type { AnswerContext, EventWriter, Frame } from '../../translate/adapters.ts';
import type { AnswerEvent, Block, Delta, StopReason } from '../../translate/answer-events.ts';
import { packReasoning } from '../../translate/opaque.ts';
import { shownArguments } from '../../translate/tools/tool-arguments.ts';
import { EMPTY_PART } from '../read-answer.ts';

/** There is no separate reason for an answer that waits for results. */
const REASONS: Readonly<Record<StopReason, string>> = {
  end: 'STOP',
  tool: 'STOP',
  length: 'MAX_TOKENS',
  filter: 'SAFETY',
};

export function createEventWriter(context: AnswerContext): EventWriter {
  const parts = new PartWriter(context);
  let isOver = false;
  let hasBegun = false;
  const frame = (written: WrittenPart[], end: JsonObject = {}): Frame => ({
    event: undefined,
    data: writeAnswer(context, written, end),
  });
  return {
    begin() {
      if (hasBegun) return [];
      hasBegun = true;
      return [frame([EMPTY_PART])];
    },
    write(event) {
      if (isOver) return [];
      hasBegun = true;
      if (event.type !== 'stop') return parts.write(event).map((part) => frame([part]));
      isOver = true;
      return [frame([EMPTY_PART], endOf(event.reason, parts.explanation))];
    },
  };
}

export function writeWhole(events: readonly AnswerEvent[], context: AnswerContext): string {
  const writer = new PartWriter(context);
  const parts: WrittenPart[] = [];
  for (const event of events) for (const part of writer.write(event)) addPart(parts, part);
  const stop = events.find(({ type }) => type === 'stop');
  const reason = stop?.type === 'stop' ? stop.reason : 'end';
  return writeAnswer(context, parts, endOf(reason, writer.explanation));
}

/** Pieces of one text are one part; so is the signature behind them. */
function addPart(parts: WrittenPart[], part: WrittenPart): void {
  const last = parts.at(-1);
  const isPiece =
    typeof part.text === 'string' &&
    typeof last?.text === 'string' &&
    last.thought === part.thought &&
    last.thoughtSignature === undefined;
  if (isPiece) parts[parts.length - 1] = { ...last, ...part, text: `${last.text}${part.text}` };
  else parts.push(part);
}

function endOf(reason: StopReason, explanation: string): JsonObject {
  return { finishReason: REASONS[reason], ...(explanation === '' ? {} : { finishMessage: explanation }) };
}

function writeAnswer({ requestId, model }: AnswerContext, parts: RawValue[], end: JsonObject): string {
  const candidate = { content: { parts, role: 'model' }, ...end, index: 0 };
  return writeJson({ candidates: [candidate], modelVersion: model, responseId: requestId });
}

type WrittenPart = { [name: string]: RawValue | undefined };

const PICTURE = /^!\[[^\]]*\]\(data:([^;,]+);base64,([^)]*)\)$/;

class PartWriter {
  readonly #origin: string;
  #open: Block | undefined;
  #arguments = '';
  #signature = '';
  /** The open block has text. */
  #hasText = false;
  /** An empty text was left out, so later parts have another position than in the model's answer. */
  #isMoved = false;
  /** Why the vendor stopped the answer. */
  explanation = '';

  constructor({ origin }: AnswerContext) {
    this.#origin = origin;
  }

  write(event: AnswerEvent): WrittenPart[] {
    switch (event.type) {
      case 'open':
        return this.#begin(event.block);
      case 'delta':
        return this.#add(event);
      case 'sign':
        this.#signature += event.signature;
        return [];
      case 'close':
        return this.#close();
      default:
        return [];
    }
  }

  #begin(block: Block): WrittenPart[] {
    this.#open = block;
    this.#arguments = '';
    this.#signature = '';
    this.#hasText = false;
    if (block.kind !== 'redacted') return [];
    return [{ text: '', thought: true, thoughtSignature: this.#sign({ redacted: block.data }) }];
  }

  #add(delta: Delta): WrittenPart[] {
    const { text } = delta;
    const kind = this.#open?.kind;
    this.#hasText ||= text !== '';
    if (kind === 'tool') this.#arguments += text;
    else if (this.#open?.kind === 'refusal' && this.#open.isVendors) this.explanation += text;
    else if (text !== '') return [kind === 'reasoning' ? { text, thought: true } : writeText(delta)];
    return [];
  }

  #close(): WrittenPart[] {
    const block = this.#open;
    this.#open = undefined;
    if (block?.kind === 'tool') return [this.#writeCall(block)];
    const isThought = block?.kind === 'reasoning';
    this.#isMoved ||= block?.kind === 'text' && !this.#hasText;
    if (!isThought && this.#signature === '') return [];
    const thoughtSignature = this.#sign({ signature: this.#signature });
    return [{ text: '', ...(isThought ? { thought: true } : {}), thoughtSignature }];
  }

  #writeCall({ id, name, signature }: Extract<Block, { kind: 'tool' }>): WrittenPart {
    const functionCall = { id, name, args: shownArguments(this.#arguments) };
    if (signature === undefined) return { functionCall };
    return { functionCall, thoughtSignature: this.#sign({ signature }) };
  }

  /** In base64, because libraries of Gemini clients decode it to bytes. */
  #sign(reasoning: { signature: string } | { redacted: string }): string {
    const packed = packReasoning(this.#origin, { text: '', ...reasoning, ...(this.#isMoved ? { isMoved: true } : {}) });
    return Buffer.from(packed).toString('base64');
  }
}

function writeText({ text, isMedia }: Delta): WrittenPart {
  const [, mimeType, data] = (isMedia && PICTURE.exec(text)) || [];
  return mimeType === undefined || data === undefined ? { text } : { inlineData: { mimeType, data } };
}
