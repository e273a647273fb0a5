// What a call would meet if it were made now: the most it can cost, and the fault it would get. Nothing is taken, and no
// upstream is asked.

import type { Fault } from '../faults/fault.ts';
import type { Nano } from '../kit/money.ts';
import { checkCall, refusal } from './admit.ts';
import { admitInput, fullHold, inputBound, wantedTokens } from './admit-input.ts';
import type { Call, RelayTools } from './call.ts';

export interface Preview {
  /** What admission would hold; for a call that it refuses, what it would hold if there were enough money. */
  most: Nano;
  inputTokens: number;
  /** All answers together. */
  outputTokens: number;
  refused: Fault | undefined;
}

export async function previewCall(tools: RelayTools, call: Call): Promise<Preview> {
  const at = tools.clock.now();
  const misfit = checkCall(tools, call);
  const result = misfit ? undefined : await tools.ledger.previewAdmit(admitInput(tools, call, at));
  const { choices } = call.request;
  const inputTokens = inputBound(call);
  const wanted = wantedTokens(call);
  if (result?.ok) {
    const outputTokens = Math.min(result.granted, wanted) * choices;
    return { most: result.held, inputTokens, outputTokens, refused: undefined };
  }
  const hold = fullHold(call);
  return {
    most: call.model.free ? 0n : hold.base + hold.unit * BigInt(hold.wanted),
    inputTokens,
    outputTokens: wanted * choices,
    refused: misfit ?? (result && refusal(result, call, at)),
  };
}
