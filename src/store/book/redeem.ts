// A card credits once, ever. Wrong guesses cost the guesser slots, never the card; a card's own account repeating it
// hears that it was already redeemed.

import type { RedeemInput, RedeemResult } from '../operations.ts';
import type { Card } from '../rows.ts';
import type { Book, Touch } from './book.ts';
import { payIn } from './money.ts';
import { checkReplay, rememberReplay, replayTouches } from './replays.ts';
import { type Allowance, dayAllowance, EMPTY_WINDOW, rollingAllowance, takeDay, takeRolling } from './windows.ts';

const ACCOUNT_SPAN_MS = 600_000;
const ADDRESS_SPAN_MS = 3_600_000;

function accountWindow(accountId: string): string {
  return `redeem:account:${accountId}`;
}

function addressWindow(address: string): string {
  return `redeem:address:${address}`;
}

export function redeemTouches(input: RedeemInput): Touch[] {
  return [
    { table: 'wallets', id: input.accountId },
    { table: 'windows', id: accountWindow(input.accountId) },
    { table: 'windows', id: addressWindow(input.address) },
    { table: 'cards', id: input.cardHash },
    ...replayTouches(input.replay),
  ];
}

export function redeem(book: Book, input: RedeemInput): RedeemResult {
  const { accountId, at } = input;
  const replay = checkReplay(book, input.replay, at);
  if (replay.found === 'other_body') return { ok: false, reason: 'idempotency_key_reused' };
  const card = book.get('cards', input.cardHash);
  const wallet = book.get('wallets', accountId);
  if (replay.found === 'same' && card && wallet) return { ...answeredBefore(card, replay.result), replayed: true };
  const refused = guessesLeft(book, input);
  if (refused) return { ok: false, reason: 'redeem_rate_limited', allowance: refused };
  if (card?.redeemedBy === accountId && wallet) {
    const repeated: Repeated = { alreadyRedeemed: wallet.balance.toString() };
    rememberReplay(book, input.replay, repeated, at);
    return { ...redeemed(card, wallet.balance), alreadyRedeemed: true };
  }
  if (!card || !wallet || card.state !== 'issued' || (card.expiresAt !== null && card.expiresAt <= at)) {
    countGuess(book, input);
    return { ok: false, reason: 'card_not_redeemable' };
  }
  book.put('cards', card.hash, { ...card, state: 'redeemed', redeemedBy: accountId, redeemedAt: at });
  const balance = payIn(book, {
    accountId,
    from: card.kind === 'sold' ? 'house:cards_sold' : 'house:cards_promo',
    kind: 'card',
    amount: card.amount,
    reference: card.serial,
    at,
  });
  rememberReplay(book, input.replay, balance.toString(), at);
  return redeemed(card, balance);
}

/** What is remembered of a card that the account had redeemed before; of a new one it is the balance alone. */
interface Repeated {
  alreadyRedeemed: string;
}

function answeredBefore(card: Card, result: string): Extract<RedeemResult, { ok: true }> {
  const remembered = JSON.parse(result) as string | Repeated;
  if (typeof remembered === 'string') return redeemed(card, BigInt(remembered));
  return { ...redeemed(card, BigInt(remembered.alreadyRedeemed)), alreadyRedeemed: true };
}

function redeemed(card: Card, balance: bigint): Extract<RedeemResult, { ok: true }> {
  return { ok: true, serial: card.serial, amount: card.amount, balance, alreadyRedeemed: false };
}

/** The limit that is reached, if one is. */
function guessesLeft(book: Book, { accountId, address, at, limits }: RedeemInput): Allowance | undefined {
  const byAccount = book.get('windows', accountWindow(accountId)) ?? EMPTY_WINDOW;
  const byAddress = book.get('windows', addressWindow(address)) ?? EMPTY_WINDOW;
  return [
    rollingAllowance(byAccount, at, ACCOUNT_SPAN_MS, limits.perTenMinutes),
    dayAllowance(byAccount, at, limits.perDay),
    rollingAllowance(byAddress, at, ADDRESS_SPAN_MS, limits.perAddressHour),
  ].find((allowance) => allowance.remaining < 1);
}

function countGuess(book: Book, { accountId, address, at, limits }: RedeemInput): void {
  const byAccount = book.get('windows', accountWindow(accountId)) ?? EMPTY_WINDOW;
  const byAddress = book.get('windows', addressWindow(address)) ?? EMPTY_WINDOW;
  const guessed = takeRolling(byAccount, at, ACCOUNT_SPAN_MS, { keep: limits.perTenMinutes });
  book.put('windows', accountWindow(accountId), takeDay(guessed, at));
  book.put(
    'windows',
    addressWindow(address),
    takeRolling(byAddress, at, ADDRESS_SPAN_MS, { keep: limits.perAddressHour }),
  );
}
