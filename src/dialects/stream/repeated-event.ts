// An event of a known shape. It is parsed only when its document is read. A copy with other members is not a repeat.

import { type JsonDocument, readAnswerJson } from '../../kit/json/json.ts';
import type { Segment, StreamEvent } from '../dialect.ts';
import type { Repeat, Shape } from './shape.ts';

export class RepeatedEvent implements StreamEvent {
  readonly kind = 'output';
  readonly segments: readonly Segment[];
  origin: Shape | undefined;
  readonly #data: string;
  readonly #repeat: Repeat;
  #document: JsonDocument | undefined;

  constructor(
    readonly name: string | undefined,
    data: string,
    repeat: Repeat,
  ) {
    this.segments = [{ slot: repeat.shape.slot, text: repeat.text }];
    this.origin = repeat.shape;
    this.#data = data;
    this.#repeat = repeat;
  }

  get document(): JsonDocument {
    this.#document ??= readAnswerJson(this.#data);
    return this.#document;
  }

  get repeat(): Repeat {
    return this.#repeat;
  }
}
