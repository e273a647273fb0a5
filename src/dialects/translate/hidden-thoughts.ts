// Reasoning that a client asked not to be shown. It is billed all the same, so it is counted here, before the client's format
// drops it.

import { weighTokens } from '../../kit/tokens.ts';
import { addOutput, NO_OUTPUT, type Output } from '../dialect.ts';
import type { AnswerEvent } from './answer-events.ts';

interface HiddenThoughts {
  /** True if the event is not shown: reasoning, and all signatures. */
  takes(event: AnswerEvent): boolean;
  output(): Output;
}

export function createHiddenThoughts(): HiddenThoughts {
  let isThought = false;
  let output = NO_OUTPUT;
  return {
    takes(event) {
      if (event.type === 'sign') return true;
      if (event.type === 'open') isThought = event.block.kind === 'reasoning' || event.block.kind === 'redacted';
      if (!isThought) return false;
      if (event.type === 'delta' && event.text !== '') output = addOutput(output, thoughtOf(event.text));
      isThought = event.type !== 'close';
      return event.type === 'open' || event.type === 'delta' || event.type === 'close';
    },
    output: () => output,
  };
}

function thoughtOf(text: string): Output {
  const tokens = weighTokens(text);
  return { ...NO_OUTPUT, hasReasoning: true, tokens, reasoningTokens: tokens };
}
