// Log probabilities make a whole answer many times as large as its text, and the gateway reads only so many values of one
// answer. A request that could bring more is refused before it costs anything.

import type { RelayRequest } from '../dialects/dialect.ts';
import { refuseField } from '../dialects/fields.ts';
import { ANSWER_LIMITS } from '../kit/json/json.ts';

/** The output bound of a client that sets none: few answers are longer. */
export const ENOUGH_OUTPUT = 4_096;
/** Values of an answer apart from its tokens. */
const BESIDE = 10_000;

type RequestedAnswer = Pick<RelayRequest, 'choices' | 'valuesPerToken' | 'maxOutputTokens'>;

/** How many tokens each choice may have. */
export function readableTokens({ choices, valuesPerToken }: Omit<RequestedAnswer, 'maxOutputTokens'>): number {
  if (valuesPerToken === undefined) return Number.POSITIVE_INFINITY;
  return Math.floor((ANSWER_LIMITS.nodes - BESIDE) / (choices * valuesPerToken));
}

/** `most`: the output bound of the model. For a client that named none, the bound is lowered later, but not below this. */
export function requireReadable(request: RequestedAnswer, most: number): void {
  const { choices, valuesPerToken = 0, maxOutputTokens = ENOUGH_OUTPUT } = request;
  const tokens = Math.min(maxOutputTokens, most);
  if (tokens <= readableTokens(request)) return;
  const values = (choices * tokens * valuesPerToken).toLocaleString('en-US');
  refuseField(
    'logprobs',
    `The answer could have ${values} values (${choices} x ${tokens} tokens with about ${valuesPerToken} each), and at most ` +
      `${MAX_VALUES} are possible. Request fewer choices, tokens or top_logprobs, or a stream.`,
  );
}

const MAX_VALUES = ANSWER_LIMITS.nodes.toLocaleString('en-US');
