// Events of an answer as parts. A call is sent whole, as Google does; a signature comes with the call, or behind the text or
// thought that it is of.

import { isObject, tryParseJson } from '../../../kit/json/json.ts';
import { RawJson, type RawValue } from '../../../kit/json/raw-json.ts';
import type { AnswerContext } from '../../translate/adapters.ts';
import type { AnswerEvent, Block, Delta } from '../../translate/answer-events.ts';
import { writeSignature } from './signatures.ts';

export type WrittenPart = { [name: string]: RawValue | undefined };

const PICTURE = /^!\[[^\]]*\]\(data:([^;,]+);base64,([^)]*)\)$/;

export class PartWriter {
  readonly #origin: string;
  #open: Block | undefined;
  /** The origin of the open call. */
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
    const functionCall = { id, name, args: writeArguments(this.#arguments) };
    if (signature === undefined) return { functionCall };
    return { functionCall, thoughtSignature: this.#sign({ signature }) };
  }

  #sign(reasoning: { signature: string } | { redacted: string }): string {
    return writeSignature(this.#origin, { ...reasoning, isMoved: this.#isMoved });
  }
}

function writeText({ text, isMedia }: Delta): WrittenPart {
  const [, mimeType, data] = (isMedia && PICTURE.exec(text)) || [];
  return mimeType === undefined || data === undefined ? { text } : { inlineData: { mimeType, data } };
}

/** Arguments must be an object; any other text of the model is put into one. */
function writeArguments(text: string): RawValue {
  if (text.trim() === '') return {};
  return isObject(tryParseJson(text)) ? new RawJson(text) : { _raw: text };
}
