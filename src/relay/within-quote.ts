// A call with a quote holds at most the quoted maximum, even if its key, its fallbacks or their routes have changed.

import { type Fault, fault } from '../faults/fault.ts';
import { newQuote } from '../faults/sample-call.ts';
import type { Nano } from '../kit/money.ts';
import type { HoldRequest } from '../store/operations.ts';
import type { Call } from './call.ts';

/** Undefined if the quote covers the shortest answer that is worth a call. */
export function checkQuote({ base, unit, least }: HoldRequest, most: Nano, call: Call): Fault | undefined {
  if (base + unit * BigInt(least) <= most) return undefined;
  return fault('quote_expired', {
    message:
      'This quote no longer covers the request: the routes or fallbacks that it may use have changed. Get a new quote.',
    actions: [newQuote({ endpoint: call.endpoint, promptField: call.dialect.request.promptField }, call.model.id)],
  });
}

/** The output is shortened to what the quote pays for. */
export function holdWithinQuote(hold: HoldRequest, most: Nano): HoldRequest {
  const { base, unit, wanted } = hold;
  if (base + unit * BigInt(wanted) <= most) return hold;
  return { ...hold, wanted: Number((most - base) / unit) };
}
