// Redeems a card, which credits only once. Wrong guesses count against the caller, not the card. If the account that
// redeemed the card repeats it, the answer says so, even if its guesses are used up.

import { assert } from '../../kit/assert.ts';
import { HOUR_MS, MINUTE_MS } from '../../kit/clock.ts';
import { moneyFields, type Nano } from '../../kit/money.ts';
import type { Card } from '../rows.ts';
import type { Book, Operations } from './book.ts';
import { payIn } from './money.ts';
import { checkReplay, type ReplayRequest, rememberReplay, replayTouches } from './replays.ts';
import {
  type Allowance,
  addressWindow,
  dayAllowance,
  rollingAllowance,
  takeDay,
  takeRolling,
  windowOf,
} from './windows.ts';

export interface RedeemInput {
  accountId: string;
  cardHash: string;
  /** Keyed hash of the client's address. */
  address: string;
  at: number;
  limits: { perTenMinutes: number; perDay: number; perAddressHour: number };
  replay?: ReplayRequest | undefined;
}

export type RedeemResult =
  | { ok: true; serial: string; amount: Nano; balance: Nano; alreadyRedeemed: boolean; replayed?: true }
  | { ok: false; reason: 'card_not_redeemable'; replayed?: true }
  | { ok: false; reason: 'idempotency_key_reused' }
  | { ok: false; reason: 'redeem_rate_limited'; allowance: Allowance };

export const REDEMPTION = {
  redeem: {
    touches: (input: RedeemInput) => [
      { table: 'wallets', id: input.accountId },
      { table: 'windows', id: accountWindow(input.accountId) },
      { table: 'windows', id: addressWindow('redeem', input.address) },
      { table: 'cards', id: input.cardHash },
      ...replayTouches(input.replay),
    ],
    decide: redeem,
  },
} satisfies Operations;

const ACCOUNT_SPAN_MS = 10 * MINUTE_MS;
const ADDRESS_SPAN_MS = HOUR_MS;

function accountWindow(accountId: string): string {
  return `redeem:account:${accountId}`;
}

function redeem(book: Book, input: RedeemInput): RedeemResult {
  const { accountId, at } = input;
  const replay = checkReplay(book, input.replay, at);
  if (replay.found === 'other_body') return { ok: false, reason: 'idempotency_key_reused' };
  const card = book.get('cards', input.cardHash);
  const wallet = book.get('wallets', accountId);
  if (replay.found === 'same') return { ...answeredBefore(card, replay.result), replayed: true };
  if (card?.redeemedBy === accountId && wallet) {
    remember(book, input, { alreadyRedeemed: wallet.balance.toString() });
    return { ...redeemed(card, wallet.balance), alreadyRedeemed: true };
  }
  const refused = guessesLeft(book, input);
  if (refused) return { ok: false, reason: 'redeem_rate_limited', allowance: refused };
  if (!card || !wallet || card.state !== 'issued' || (card.expiresAt !== null && card.expiresAt <= at)) {
    countGuess(book, input);
    remember(book, input, NOT_REDEEMABLE);
    return { ok: false, reason: NOT_REDEEMABLE };
  }
  book.put('cards', card.hash, { ...card, state: 'redeemed', redeemedBy: accountId, redeemedAt: at });
  const balance = payIn(book, {
    accountId,
    from: card.kind === 'sold' ? 'house:cards_sold' : 'house:cards_promo',
    kind: 'card',
    isPaid: card.kind === 'sold',
    amount: card.amount,
    reference: card.serial,
    at,
  });
  const amounts = { ...moneyFields('amount', card.amount), ...moneyFields('balance', balance) };
  book.add('events', { accountId, type: 'card.redeemed', at, data: { card_serial: card.serial, ...amounts } });
  remember(book, input, `${balance}`);
  return redeemed(card, balance);
}

const NOT_REDEEMABLE = 'card_not_redeemable';

/** A refusal with its reason, the earlier redemption if this account made it, or the new balance. */
type Remembered = typeof NOT_REDEEMABLE | { alreadyRedeemed: string } | `${bigint}`;

function remember(book: Book, { replay, at }: RedeemInput, result: Remembered): void {
  rememberReplay(book, replay, result, at);
}

type Answered = Extract<RedeemResult, { ok: true } | { reason: typeof NOT_REDEEMABLE }>;

function answeredBefore(card: Card | undefined, result: string): Answered {
  const remembered = JSON.parse(result) as Remembered;
  if (remembered === NOT_REDEEMABLE) return { ok: false, reason: remembered };
  assert(card, 'a redeemed card exists');
  if (typeof remembered === 'string') return redeemed(card, BigInt(remembered));
  return { ...redeemed(card, BigInt(remembered.alreadyRedeemed)), alreadyRedeemed: true };
}

function redeemed(card: Card, balance: bigint): Extract<RedeemResult, { ok: true }> {
  return { ok: true, serial: card.serial, amount: card.amount, balance, alreadyRedeemed: false };
}

/** The limit that is reached, if one is. */
function guessesLeft(book: Book, { accountId, address, at, limits }: RedeemInput): Allowance | undefined {
  const byAccount = windowOf(book, accountWindow(accountId));
  const byAddress = windowOf(book, addressWindow('redeem', address));
  return [
    rollingAllowance(byAccount, at, ACCOUNT_SPAN_MS, limits.perTenMinutes),
    dayAllowance(byAccount, at, limits.perDay),
    rollingAllowance(byAddress, at, ADDRESS_SPAN_MS, limits.perAddressHour),
  ].find((allowance) => allowance.remaining < 1);
}

function countGuess(book: Book, { accountId, address, at, limits }: RedeemInput): void {
  const byAccount = accountWindow(accountId);
  const byAddress = addressWindow('redeem', address);
  const guessed = takeRolling(windowOf(book, byAccount), at, ACCOUNT_SPAN_MS, { keep: limits.perTenMinutes });
  book.put('windows', byAccount, takeDay(guessed, at));
  const taken = takeRolling(windowOf(book, byAddress), at, ADDRESS_SPAN_MS, { keep: limits.perAddressHour });
  book.put('windows', byAddress, taken);
}
