// Inputs for operations, with ids that never repeat: tests of one store may share it.

import { Fault } from '../../../src/faults/fault.ts';
import { taipeiDay } from '../../../src/kit/taipei.ts';
import type {
  AdmitInput,
  AdmitResult,
  Input,
  Outcome,
  RedeemInput,
  RegisterInput,
  SettleInput,
} from '../../../src/store/operations.ts';
import type { AccountQuery, ListedAccount } from '../../../src/store/reads.ts';
import { type CardKind, type KeyRow, NO_BUCKETS } from '../../../src/store/rows.ts';
import type { Store } from '../../../src/store/store.ts';

/** Noon in Taipei, and odd milliseconds: nothing may count on a whole second. */
export const T0 = Date.UTC(2026, 0, 15, 4, 0, 0, 317);
/** The end of its second: paid calls are counted by the second. */
export const T0_SECOND = Math.ceil(T0 / 1_000) * 1_000;
/** The next one in Taipei. */
export const MIDNIGHT = Date.UTC(2026, 0, 15, 16);
export const MINUTE = 60_000;
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
export const NODE = 'node_alive';
export const UNLIMITED = Number.MAX_SAFE_INTEGER;

let count = 0;
export function fresh(prefix: string): string {
  // Real ids begin with the time; these must sort before them, however many there are.
  return `${prefix}_${String(++count).padStart(9, '0')}`;
}

export function sampleKey(accountId: string, fields: Partial<KeyRow> = {}): KeyRow {
  const keyId = fresh('key');
  return {
    keyId,
    accountId,
    hash: `hash of ${keyId}`,
    last4: 'abcd',
    name: null,
    manage: true,
    models: null,
    dailyBudget: null,
    expiresAt: null,
    createdAt: T0,
    revokedAt: null,
    oldHash: null,
    oldHashUntil: null,
    parentId: null,
    depth: 0,
    delegate: false,
    limits: {},
    ...fields,
  };
}

export function registration(fields: Partial<RegisterInput> = {}): RegisterInput {
  const accountId = fields.accountId ?? fresh('acc');
  return {
    accountId,
    key: sampleKey(accountId),
    address: fresh('address'),
    at: T0,
    trial: 1_000_000_000n,
    limits: { perAddress: 3, perDay: UNLIMITED },
    ...fields,
  };
}

export interface Account {
  accountId: string;
  keyId: string;
}

export async function createAccount(store: Store, balance = 1_000_000_000n): Promise<Account> {
  const input = registration({ trial: balance });
  const result = await store.commit('register', input);
  if (!result.ok) throw new Error(result.reason);
  return { accountId: input.accountId, keyId: input.key.keyId };
}

/** A further key of the account, which does not manage. */
export async function createKey(store: Store, accountId: string, fields: Partial<KeyRow> = {}): Promise<Account> {
  const key = sampleKey(accountId, { manage: false, ...fields });
  const result = await store.commit('createKey', { key, at: T0 });
  if (!result.ok) throw new Error(result.reason);
  return { accountId, keyId: key.keyId };
}

export async function setDayBudget(store: Store, key: Account, dailyBudget: bigint | null): Promise<void> {
  const result = await store.commit('changeKey', { ...key, changes: { dailyBudget }, at: T0 });
  if (!result.ok) throw new Error(result.reason);
}

export function renewLease(store: Store, nodeId = NODE, expiresAt = T0 + 1_000 * DAY): Promise<undefined> {
  return store.commit('lease', { nodeId, host: 'here', pid: 7, expiresAt });
}

export function paid(account: Account, fields: Partial<AdmitInput> & { hold?: Partial<Hold> } = {}): AdmitInput {
  const { hold, ...rest } = fields;
  return {
    ...request(account),
    charge: {
      free: false,
      hold: { base: 1_000n, unit: 10n, wanted: 100, least: 16, ...hold },
      limits: { perMinute: 600, inFlight: 32 },
    },
    ...rest,
  };
}
type Hold = Extract<AdmitInput['charge'], { free: false }>['hold'];

export function free(account: Account, fields: Partial<AdmitInput> = {}): AdmitInput {
  return {
    ...request(account),
    charge: { free: true, limits: { perMinute: 6, perDayZero: 100, perDayPositive: 300, inFlight: 4 } },
    ...fields,
  };
}

function request({ accountId, keyId }: Account): Omit<AdmitInput, 'charge'> {
  return {
    requestId: fresh('req'),
    accountId,
    keyId,
    nodeId: NODE,
    at: T0,
    model: 'asked',
    endpoint: '/v1/chat/completions',
    stream: true,
    revision: 3,
  };
}

export function outcome(fields: Partial<Outcome> = {}): Outcome {
  return {
    at: T0 + 250,
    status: 'ok',
    channel: 'channel-a',
    buckets: { ...NO_BUCKETS, input: 40, output: 20 },
    reasoning: 5,
    estimated: false,
    firstTokenMs: 80,
    totalMs: 250,
    attempts: [{ channel: 'channel-a', outcome: 'ok', ms: 240 }],
    ...fields,
  };
}

/** The upstream bills as much for it. */
export function unsettled(amount = 0n) {
  return { upstreamCost: () => amount };
}

export function settling(admitted: AdmitInput, cost: bigint, fields: Partial<Outcome> = {}): SettleInput {
  const { requestId, accountId, keyId, chain } = admitted;
  return { requestId, accountId, keyId, chain, cost, outcome: outcome(fields) };
}

export function releasing(admitted: AdmitInput, giveBackSlots: boolean): Input<'release'> {
  const { requestId, accountId, keyId, chain } = admitted;
  const ended = outcome({ status: 'upstream_failed', channel: null, buckets: NO_BUCKETS, reasoning: 0, attempts: [] });
  return { requestId, accountId, keyId, chain, giveBackSlots, outcome: ended };
}

/** Who waits too long for a commit, as on a disk that stands still, is turned away with nothing taken, and comes again. */
export async function admitting(store: Store, input: AdmitInput): Promise<AdmitResult> {
  for (;;) {
    try {
      return await store.commit('admit', input);
    } catch (error) {
      if (!(error instanceof Fault && error.details.internal === 'store: waited too long for a commit')) throw error;
    }
  }
}

/** Admits, and throws if it was refused. */
export async function admitted(store: Store, input: AdmitInput): Promise<Extract<AdmitResult, { ok: true }>> {
  const result = await admitting(store, input);
  if (!result.ok) throw new Error(result.reason);
  return result;
}

export interface SampleCard {
  hash: string;
  serial: string;
}

export async function issueCards(
  store: Store,
  howMany = 1,
  {
    kind = 'sold',
    amount = 100n,
    expiresAt = null,
  }: { kind?: CardKind; amount?: bigint; expiresAt?: number | null } = {},
): Promise<{ batchId: string; cards: SampleCard[] }> {
  const batchId = fresh('batch');
  const cards = Array.from({ length: howMany }, () => {
    const serial = fresh('serial');
    return { serial, hash: `hash of ${serial}` };
  });
  const batch = { batchId, kind, amount, count: howMany, expiresAt, note: null, createdAt: T0 };
  await store.commit('issue', { batch, cards });
  return { batchId, cards };
}

export function redeeming(accountId: string, cardHash: string, fields: Partial<RedeemInput> = {}): RedeemInput {
  return {
    accountId,
    cardHash,
    address: fresh('address'),
    at: T0,
    limits: { perTenMinutes: 5, perDay: 20, perAddressHour: 20 },
    ...fields,
  };
}

/** As the operator searches for them. */
export function findAccounts(store: Store, wanted: AccountQuery): Promise<readonly ListedAccount[]> {
  return store.read.accountList({ sort: 'created', isAscending: false, wanted, sinceDay: taipeiDay(T0), limit: 5 });
}
