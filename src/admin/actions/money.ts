// Every movement of money by an operator: credit, refunds into the wallet, and payouts of paid balance. Each is entries that
// stay, with a reason. An idempotency key (`once`) moves money only once, whichever call and kind of entry it was used for
// before. The database itself refuses a second entry of the same kind.

import { formatNtd, minNano, moneyFields, type Nano } from '../../kit/money.ts';
import { onceReference } from '../../store/book/money.ts';
import type { RefundOf } from '../../store/operations.ts';
import type { Action, Entry, Wallet } from '../../store/rows.ts';
import { logLine } from './audit-log.ts';
import { readLine } from './read-input.ts';
import { invalid, notFound, OperatingRefused } from './refused.ts';
import type { Actor, OperatingTools, StoreTools } from './tools.ts';

export const MAX_REASON_CHARS = 500;

const KINDS = ['credit', 'topup', 'refund', 'payout'] as const;

interface GivenMove {
  reason: string;
  actor: Actor;
  /** Idempotency key: the same value never acts twice. */
  once?: string | undefined;
}

interface Wanted {
  kind: (typeof KINDS)[number];
  /** Values that must be equal, with the account, for the call to be a repetition, by name. */
  same: Readonly<Record<string, (earlier: Entry) => boolean | Promise<boolean>>>;
}

/** `id`: the kind of a reference that is made for it. Refused: invalid, already_done. */
async function prepareMove(
  tools: OperatingTools,
  accountId: string,
  given: GivenMove,
  { id, kind, same }: Wanted & { id: 'credit' | 'refund' | 'payout' },
) {
  const reason = readLine(given.reason, 'reason', MAX_REASON_CHARS);
  const { once } = given;
  const reference = once === undefined ? tools.newId(id) : onceReference(readLine(once, 'once', 100));
  const isOfAccount = (entry: Entry) => entry.accountId === accountId;
  const refuse = () => refuseRepeated(tools, reference, { kind, same: { account: isOfAccount, ...same } });
  if (once !== undefined) await refuse();
  return {
    reference,
    /** `detail`: more for the log. */
    async commit<Result extends { ok: boolean }>(
      detail: Action['detail'],
      run: (move: ReturnType<typeof moveOf>) => Promise<Result>,
    ): Promise<Result> {
      const result = await run(moveOf(detail)).catch(async (error: unknown) => {
        // The database accepted the first of two concurrent ones.
        await refuse();
        throw error;
      });
      // A concurrent one with the same reference may have left too little.
      if (!result.ok) await refuse();
      return result;
    },
  };

  function moveOf(detail: Action['detail']) {
    const log = logLine(tools, given.actor, `accounts.${kind}`, accountId, { ...detail, reason, reference });
    return { accountId, reference, reason, at: tools.clock.now(), log };
  }
}

async function refuseRepeated({ store }: StoreTools, reference: string, { kind, same }: Wanted): Promise<void> {
  const entries = await Promise.all(KINDS.map((one) => store.read.entryBy(one, reference)));
  const earlier = entries.find((entry) => entry !== undefined);
  if (!earlier) return;
  if (earlier.kind !== kind) throw invalid('once', `was used for a ${earlier.kind}`);
  for (const [what, isSame] of Object.entries(same)) {
    if (!(await isSame(earlier))) throw invalid('once', `was used for another ${what}`);
  }
  throw new OperatingRefused('already_done', `this ${kind} was made already`);
}

interface GivenCredit extends GivenMove {
  amount: Nano;
  kind: 'credit' | 'topup' | 'refund';
}

/** A `topup` was paid for, and can be paid out. Refused: not_found, invalid, already_done. */
export async function credit(tools: OperatingTools, accountId: string, given: GivenCredit) {
  const { amount, kind } = given;
  if (kind === 'refund') return refund(tools, accountId, given);
  if (amount <= 0n) throw invalid('amount', 'must be above 0');
  const same = { amount: (entry: Entry) => entry.amount === amount };
  const { reference, commit } = await prepareMove(tools, accountId, given, { id: 'credit', kind, same });
  const result = await commit({ amount_ntd: formatNtd(amount) }, (move) =>
    tools.store.commit('credit', { ...move, amount, kind }),
  );
  if (!result.ok) throw result.reason === 'wallet_full' ? walletFull() : notFound(`account ${accountId}`);
  return { balance: result.balance, reference };
}

interface GivenRefund extends GivenMove {
  /** At most one of them. */
  requestId?: string | undefined;
  card?: string | undefined;
  /** Only a request can do without: then all that is left of its cost. */
  amount?: Nano | undefined;
}

/** Refused: not_found, invalid, already_done, above_charge, above_spent. */
export async function refund(tools: OperatingTools, accountId: string, given: GivenRefund) {
  const { amount, requestId, card } = given;
  if (amount !== undefined && amount <= 0n) throw invalid('amount', 'must be above 0');
  const same = {
    amount: (entry: Entry) => amount === undefined || entry.amount === amount,
    request: (entry: Entry) => (requestId ?? card ?? null) === entry.refundOf,
  };
  const { reference, commit } = await prepareMove(tools, accountId, given, { id: 'refund', kind: 'refund', same });
  const of = await findCharge(tools, accountId, given);
  if (amount === undefined && of?.kind !== 'request') throw invalid('amount', 'is needed without a request');
  const detail = {
    ...(amount !== undefined && { amount_ntd: formatNtd(amount) }),
    ...(of && { [of.kind === 'card' ? 'card' : 'request_id']: of.id }),
  };
  const result = await commit(detail, (move) => tools.store.commit('refund', { ...move, of, amount }));
  if (result.ok) return { amount: result.amount, balance: result.balance, reference };
  if (result.reason === 'not_found') throw notFound(`account ${accountId}`);
  if (result.reason === 'wallet_full') throw walletFull();
  const charged = of?.charged ?? 0n;
  throw result.reason === 'above_spent' ? aboveSpent(charged, result) : aboveCharge(charged, result.refunded);
}

/** The limits of a refund for a request or a card. Refused: not_found, invalid. */
async function findCharge(
  { store: { read } }: StoreTools,
  accountId: string,
  { requestId, card }: GivenRefund,
): Promise<RefundOf | undefined> {
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

interface GivenPayout extends GivenMove {
  amount: Nano;
  fee?: Nano | undefined;
}

/**
 * The wallet pays the amount and the fee; the customer gets the amount. Refused: not_found, invalid, already_done, above_paid,
 * frozen_by_audit.
 */
export async function payout(tools: OperatingTools, accountId: string, given: GivenPayout) {
  const { store } = tools;
  const { amount, fee = 0n } = given;
  if (amount <= 0n) throw invalid('amount', 'must be above 0');
  if (fee < 0n) throw invalid('fee', 'must not be below 0');
  const same = {
    amount: (entry: Entry) => entry.amount === amount,
    fee: async (entry: Entry) => ((await store.read.entryBy('payout_fee', entry.reference))?.amount ?? 0n) === fee,
  };
  const { reference, commit } = await prepareMove(tools, accountId, given, { id: 'payout', kind: 'payout', same });
  const detail = { amount_ntd: formatNtd(amount), fee_ntd: formatNtd(fee) };
  const result = await commit(detail, (move) => store.commit('payout', { ...move, amount, fee }));
  if (result.ok) return { balance: result.balance, paid: result.paid, reference };
  if (result.reason === 'not_found') throw notFound(`account ${accountId}`);
  if (result.reason === 'frozen_by_audit') throw frozenByAudit(accountId);
  throw abovePaid(result, amount + fee);
}

function walletFull(): OperatingRefused {
  return invalid('amount', 'is more than the wallet can hold');
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
