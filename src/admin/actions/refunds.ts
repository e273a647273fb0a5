// Money back to a customer: refunds into the wallet, and payouts of paid balance. Both are entries that stay, with a reason.

import { formatNtd, minNano, moneyFields, type Nano } from '../../kit/money.ts';
import type { RefundOf } from '../../store/operations.ts';
import type { Entry, Wallet } from '../../store/rows.ts';
import { logLine } from './audit-log.ts';
import { type GivenMove, prepareMove } from './move-once.ts';
import { invalid, notFound, OperatingRefused, walletFull } from './refused.ts';
import type { OperatingTools, StoreTools } from './tools.ts';

export interface GivenRefund extends GivenMove {
  /** At most one of them. */
  requestId?: string | undefined;
  card?: string | undefined;
  /** Only a request can do without: then all that is left of its cost. */
  amount?: Nano | undefined;
}

export interface GivenPayout extends GivenMove {
  amount: Nano;
  fee?: Nano | undefined;
}

/** Refused: not_found, invalid, already_done, above_charge, above_spent. */
export async function refund(
  tools: OperatingTools,
  accountId: string,
  given: GivenRefund,
): Promise<{ amount: Nano; balance: Nano; reference: string }> {
  const { store, clock } = tools;
  const { amount, actor, requestId, card } = given;
  if (amount !== undefined && amount <= 0n) throw invalid('amount', 'must be above 0');
  const same = {
    account: (entry: Entry) => entry.accountId === accountId,
    amount: (entry: Entry) => amount === undefined || entry.amount === amount,
    request: (entry: Entry) => (requestId ?? card ?? null) === entry.refundOf,
  };
  const { reason, reference, commit } = await prepareMove(tools, given, { id: 'refund', kind: 'refund', same });
  const of = await findCharge(tools, accountId, given);
  if (amount === undefined && of?.kind !== 'request') throw invalid('amount', 'is needed without a request');
  const log = logLine(tools, actor, 'accounts.refund', accountId, {
    ...(amount !== undefined && { amount_ntd: formatNtd(amount) }),
    ...(of && { [of.kind === 'card' ? 'card' : 'request_id']: of.id }),
    reason,
    reference,
  });
  const input = { accountId, of, amount, reference, reason, at: clock.now(), log };
  const result = await commit(() => store.commit('refund', input));
  if (result.ok) return { amount: result.amount, balance: result.balance, reference };
  if (result.reason === 'not_found') throw notFound(`account ${accountId}`);
  if (result.reason === 'wallet_full') throw walletFull();
  const charged = of?.charged ?? 0n;
  throw result.reason === 'above_spent' ? aboveSpent(charged, result) : aboveCharge(charged, result.refunded);
}

/** The limits of a refund for a request or a card. Refused: not_found, invalid. */
async function findCharge(
  tools: StoreTools,
  accountId: string,
  { requestId, card }: GivenRefund,
): Promise<RefundOf | undefined> {
  const { read } = tools.store;
  if (requestId !== undefined && card !== undefined) throw invalid('card', 'cannot be refunded with a request');
  if (requestId !== undefined) {
    const entry = await read.usageEntry(accountId, requestId);
    if (entry) return { kind: 'request', id: requestId, charged: entry.amount, paid: entry.paid };
    const isOpen = (await read.openHolds(accountId)).some((hold) => hold.requestId === requestId);
    if (isOpen) throw invalid('request_id', 'is still running');
    if (await read.usageRecord(accountId, requestId)) throw invalid('request_id', 'cost nothing');
    throw notFound(`request ${requestId} of ${accountId}`);
  }
  if (card === undefined) return undefined;
  const [found] = await read.cards({ serials: [card], limit: 1 });
  if (found?.redeemedBy !== accountId) throw notFound(`card ${card} that ${accountId} redeemed`);
  return { kind: 'card', id: found.serial, charged: found.amount, isSold: found.kind === 'sold' };
}

/** The amount that can be paid out now: the paid part of the balance that no running request holds. */
export function payable({ balance, held, paid }: Pick<Wallet, 'balance' | 'held' | 'paid'>): Nano {
  return minNano(paid, balance - held);
}

/** The wallet pays the amount and the fee; the customer gets the amount. Refused: not_found, invalid, already_done, above_paid, frozen_by_audit. */
export async function payout(
  tools: OperatingTools,
  accountId: string,
  given: GivenPayout,
): Promise<{ balance: Nano; paid: Nano; reference: string }> {
  const { store, clock } = tools;
  const { amount, fee = 0n, actor } = given;
  if (amount <= 0n) throw invalid('amount', 'must be above 0');
  if (fee < 0n) throw invalid('fee', 'must not be below 0');
  const same = {
    account: (entry: Entry) => entry.accountId === accountId,
    amount: (entry: Entry) => entry.amount === amount,
    fee: async (entry: Entry) => ((await store.read.entryBy('payout_fee', entry.reference))?.amount ?? 0n) === fee,
  };
  const { reason, reference, commit } = await prepareMove(tools, given, { id: 'payout', kind: 'payout', same });
  const log = logLine(tools, actor, 'accounts.payout', accountId, {
    amount_ntd: formatNtd(amount),
    fee_ntd: formatNtd(fee),
    reason,
    reference,
  });
  const input = { accountId, amount, fee, reference, reason, at: clock.now(), log };
  const result = await commit(() => store.commit('payout', input));
  if (result.ok) return { balance: result.balance, paid: result.paid, reference };
  if (result.reason === 'not_found') throw notFound(`account ${accountId}`);
  if (result.reason === 'frozen_by_audit') throw frozenByAudit(accountId);
  throw abovePaid(result, amount + fee);
}

function aboveCharge(charged: Nano, refunded: Nano): OperatingRefused {
  const figures = { ...moneyFields('charged', charged), ...moneyFields('refunded', refunded) };
  const left = charged - refunded;
  const message =
    left === 0n
      ? `all of NT$${formatNtd(charged)} was refunded already`
      : `of NT$${formatNtd(charged)}, NT$${formatNtd(refunded)} was refunded already: at most NT$${formatNtd(left)} is left`;
  return new OperatingRefused('above_charge', message, { figures });
}

function aboveSpent(charged: Nano, { refunded, spent }: { refunded: Nano; spent: Nano }): OperatingRefused {
  const figures = {
    ...moneyFields('charged', charged),
    ...moneyFields('refunded', refunded),
    ...moneyFields('spent', spent),
  };
  const message = `of the paid balance NT$${formatNtd(spent)} was spent and not refunded: at most that much of a sold card can be refunded; what is left of it can be paid out`;
  return new OperatingRefused('above_spent', message, { figures });
}

function frozenByAudit(accountId: string): OperatingRefused {
  const message = `${accountId} was frozen by the audit, because its balance does not match its entries: correct it and unfreeze the account first`;
  return new OperatingRefused('frozen_by_audit', message);
}

function abovePaid(wallet: Pick<Wallet, 'balance' | 'held' | 'paid'>, wanted: Nano): OperatingRefused {
  const { balance, held, paid } = wallet;
  const most = payable(wallet);
  const figures = {
    ...moneyFields('payable', most),
    ...moneyFields('paid', paid),
    ...moneyFields('held', held),
    ...moneyFields('balance', balance),
  };
  const message = `NT$${formatNtd(wanted)} with its fee is more than the NT$${formatNtd(most)} that can be paid out: NT$${formatNtd(paid)} of the balance of NT$${formatNtd(balance)} was paid for, and running requests hold NT$${formatNtd(held)}`;
  return new OperatingRefused('above_paid', message, { figures });
}
