// What would happen to a call now: its maximum cost, or its fault. Nothing is taken, and no upstream is called.

import type { Fault } from '../faults/fault.ts';
import type { Nano } from '../kit/money.ts';
import { checkCall, refusal } from './admit.ts';
import { admitInput, fullHold, inputBound, wantedTokens } from './admit-input.ts';
import type { Call, RelayTools } from './call.ts';

export interface Preview {
  /** What admission would hold; for a call that it refuses, what it would hold if there were enough money. */
  most: Nano;
  inputTokens: number;
  /** Of all choices together. */
  outputTokens: number;
  refused: Fault | undefined;
}

export async function previewCall(tools: RelayTools, call: Call): Promise<Preview> {
  const at = tools.clock.now();
  const refused = checkCall(tools, call);
  const result = refused ? undefined : await tools.ledger.previewAdmit(admitInput(tools, call, at));
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
    refused: refused ?? (result && refusal(result, call, at)),
  };
}
