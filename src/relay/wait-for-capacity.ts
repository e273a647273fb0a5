// Waits on behalf of a refused call for a free slot of its minute, or money that running calls of the same account or key hold.

import type { PresentedKey } from '../accounts/keys/authenticator.ts';
import type { Fault } from '../faults/fault.ts';
import { sleep } from '../kit/clock.ts';
import { admissionFault } from '../limits/admission-fault.ts';
import type { Refused, RefusedCall } from '../limits/recent-refusals.ts';
import { TURN_MS } from '../limits/turns.ts';
import type { Call, EarlyCall } from './call.ts';

const MAX_WAIT_MS = 3_000;

/** Fulfilled when admission should be tried again; rejects when the client leaves. Undefined if waiting cannot help. */
export function waitForCapacity(
  { tools, key, gone, noWait }: Call,
  refused: Refused,
  waitedMs: number,
): Promise<void> | undefined {
  const { clock, turns } = tools;
  const ms = waitFor(refused, noWait, clock.now());
  if (waitedMs + ms > MAX_WAIT_MS) return undefined;
  return isHeld(refused) ? turns.wait(waitedFor(refused, key), MAX_WAIT_MS - waitedMs, gone) : sleep(clock, ms, gone);
}

/** A call of the same account or keys that waits for money may be admitted now. */
export function wakeNextWaiting({ tools: { turns }, key: { accountId, keyId, ancestors } }: Call): void {
  turns.passOn(accountId);
  turns.passOn(keyId);
  for (const ancestor of ancestors) turns.passOn(ancestor.keyId);
}

/** The key under which a refusal by a limit is remembered. */
export function limitOf({ key, model, catalog }: Pick<Call, 'key' | 'model' | 'catalog'>, at: number): RefusedCall {
  return { accountId: key.accountId, isFree: model.free, revision: catalog.revision, at };
}

/** The refusal that a limit gives until it resets; undefined also if a short wait may help. */
export function knownRefusal(call: EarlyCall & Pick<Call, 'model'>): Fault | undefined {
  const { clock, refusals } = call.tools;
  const now = clock.now();
  const refused = refusals.find(limitOf(call, now));
  if (!refused || waitFor(refused, call.noWait, now) <= MAX_WAIT_MS) return undefined;
  return admissionFault(refused, now, call.dialect.envelope, notForMoney);
}

function notForMoney(): never {
  throw new Error('only refusals by a limit are remembered');
}

/** How long to wait before admission is tried again; infinite if waiting cannot help. */
function waitFor(refused: Refused, noWait: boolean, now: number): number {
  if (isHeld(refused)) return TURN_MS;
  if (refused.reason !== 'free_minute_limit' || noWait || refused.allowance.limit === 0)
    return Number.POSITIVE_INFINITY;
  return Math.max(1, refused.allowance.resetsAt - now);
}

/** There is enough money, but running calls hold it. */
function isHeld({ reason }: Refused): boolean {
  return reason === 'balance_in_use' || reason === 'budget_in_use';
}

/** Calls wait together by account for its balance, and by key for its budget. */
function waitedFor(refused: Refused, { accountId }: PresentedKey): string {
  return (refused.reason === 'budget_in_use' && refused.short?.keyId) || accountId;
}
