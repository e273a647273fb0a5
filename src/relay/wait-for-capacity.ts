// What a call that the books refuse may wait for: a free slot of its minute, or money that running calls of the same account
// or key hold.

import type { PresentedKey } from '../accounts/keys/authenticator.ts';
import type { Fault } from '../faults/fault.ts';
import { sleep } from '../kit/clock.ts';
import { admissionFault } from '../limits/admission-fault.ts';
import type { Refused, RefusedCall } from '../limits/recent-refusals.ts';
import { TURN_MS } from '../limits/turns.ts';
import type { Call, RelayTools } from './call.ts';

const MAX_WAIT_MS = 3_000;

/** Fulfilled when it is worth asking the books again; rejects when the client leaves. Undefined if waiting cannot help. */
export function waitForCapacity(
  { clock, turns }: RelayTools,
  { key, gone, noWait }: Call,
  refused: Refused,
  waitedMs: number,
): Promise<void> | undefined {
  const ms = waitFor(refused, noWait, clock.now());
  if (waitedMs + ms > MAX_WAIT_MS) return undefined;
  return isHeld(refused) ? turns.wait(waitedFor(refused, key), MAX_WAIT_MS - waitedMs, gone) : sleep(clock, ms, gone);
}

/** One that waits for the same money may have it now. */
export function handOnTurn({ turns }: RelayTools, { accountId, keyId, ancestors }: PresentedKey): void {
  turns.passOn(accountId);
  turns.passOn(keyId);
  for (const ancestor of ancestors) turns.passOn(ancestor.keyId);
}

type LimitedCall = Pick<Call, 'key' | 'model' | 'catalog'>;

/** By what a refusal of its limit is remembered. */
export function limitOf({ key, model, catalog }: LimitedCall, at: number): RefusedCall {
  return { accountId: key.accountId, isFree: model.free, revision: catalog.revision, at };
}

type StandingCall = LimitedCall & Pick<Call, 'dialect' | 'noWait'>;

/** A refusal of a limit that still stands; undefined also if a wait may end it. */
export function standingRefusal(tools: Pick<RelayTools, 'clock' | 'refusals'>, call: StandingCall): Fault | undefined {
  const now = tools.clock.now();
  const refused = tools.refusals.find(limitOf(call, now));
  if (!refused || waitFor(refused, call.noWait, now) <= MAX_WAIT_MS) return undefined;
  return admissionFault(refused, now, call.dialect.envelope, notForMoney);
}

function notForMoney(): never {
  throw new Error('none but limits are remembered as standing');
}

/** The least that must be waited before another try; infinite if no wait helps. */
function waitFor(refused: Refused, noWait: boolean, now: number): number {
  if (isHeld(refused)) return TURN_MS;
  if (refused.reason !== 'free_minute_limit' || noWait || refused.allowance.limit === 0)
    return Number.POSITIVE_INFINITY;
  return Math.max(1, refused.allowance.resetsAt - now);
}

/** The money is there, but running calls hold it. */
function isHeld({ reason }: Refused): boolean {
  return reason === 'balance_in_use' || reason === 'budget_in_use';
}

/** Money of an account is waited for by its calls, that of a key's budget by those of the key and the keys below it. */
function waitedFor(refused: Refused, { accountId }: PresentedKey): string {
  return (refused.reason === 'budget_in_use' && refused.short?.keyId) || accountId;
}
