// Reasoning that a client asked not to be shown. It is billed, so it is counted here, before the client's format
// drops it.

import { weighTokens } from '../../kit/tokens.ts';
import { addOutput, NO_OUTPUT, type Output } from '../dialect.ts';
import type { ClientAdapter } from './adapters.ts';
import type { AnswerEvent } from './answer-events.ts';

export class HiddenThoughts {
  output = NO_OUTPUT;
  readonly #keepsSignatures: boolean;
  #isThought = false;

  constructor({ keepsSignatures }: Pick<ClientAdapter, 'keepsSignatures'>) {
    this.#keepsSignatures = keepsSignatures === true;
  }

  /** True if the event is not shown: reasoning, and signatures unless the client keeps those of what it sees. */
  takes(event: AnswerEvent): boolean {
    if (event.type === 'sign') return this.#isThought || !this.#keepsSignatures;
    if (event.type === 'open') this.#isThought = event.block.kind === 'reasoning' || event.block.kind === 'redacted';
    if (!this.#isThought) return false;
    if (event.type === 'delta' && event.text !== '') this.output = addOutput(this.output, thoughtOf(event.text));
    this.#isThought = event.type !== 'close';
    return event.type === 'open' || event.type === 'delta' || event.type === 'close';
  }
}

function thoughtOf(text: string): Output {
  const tokens = weighTokens(text);
  return { ...NO_OUTPUT, hasReasoning: true, tokens, reasoningTokens: tokens };
}
