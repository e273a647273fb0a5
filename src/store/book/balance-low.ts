// The event of a balance that has become low: once each time a settlement brings it below the account's threshold.

import { assert } from '../../kit/assert.ts';
import { moneyFields, NANO_PER_NTD, type Nano } from '../../kit/money.ts';
import type { Wallet } from '../rows.ts';
import { type ActorInput, type ActorRefusal, keyringTouches, refuseActor } from './actors.ts';
import type { Book, Operations } from './book.ts';

/** Below this balance the account has the event `balance.low`; 0: never. */
interface SetBalanceLowInput extends ActorInput {
  accountId: string;
  balanceLow: Nano;
  at: number;
}

export const BALANCE_EVENTS = {
  setBalanceLow: {
    touches: ({ accountId, by }: SetBalanceLowInput) => keyringTouches(accountId, by),
    decide: setBalanceLow,
  },
} satisfies Operations;

/** The threshold of a new account. */
export const BALANCE_LOW: Nano = 5n * NANO_PER_NTD;

export function noteBalance(
  book: Book,
  { accountId, balance: before, balanceLow }: Wallet,
  balance: Nano,
  at: number,
): void {
  if (balance >= balanceLow || before < balanceLow) return;
  const data = { ...moneyFields('balance', balance), ...moneyFields('balance_low', balanceLow) };
  book.add('events', { accountId, type: 'balance.low', at, data });
}

function setBalanceLow(
  book: Book,
  { accountId, balanceLow, by, at }: SetBalanceLowInput,
): { ok: true } | { ok: false; reason: ActorRefusal } {
  assert(balanceLow >= 0n, 'a threshold is not negative');
  const refused = refuseActor(book, accountId, by, at);
  if (refused) return refused;
  const wallet = book.get('wallets', accountId);
  assert(wallet, 'an account has a wallet');
  book.put('wallets', accountId, { ...wallet, balanceLow, touchedAt: at });
  return { ok: true };
}
