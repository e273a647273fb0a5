// Computes the maximum cost or the fault that a call would have now. Reserves nothing and calls no upstream.

import type { Fault } from '../faults/fault.ts';
import type { Nano } from '../kit/money.ts';
import { checkCall, refusal } from './admit.ts';
import { admitInput, fullHold, inputBound, wantedTokens } from './admit-input.ts';
import type { Call, RelayTools } from './call.ts';

export interface Preview {
  /** The hold of an admission; for a refused call, the hold if there were enough money. */
  most: Nano;
  inputTokens: number;
  /** For all choices together. */
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
