// Creates an account, its key, its trial credit and its limit slots in one transaction.

import { assert } from '../../kit/assert.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kit/clock.ts';
import type { Nano } from '../../kit/money.ts';
import type { KeyRow } from '../rows.ts';
import { BALANCE_LOW } from './balance-low.ts';
import type { Book, Operations } from './book.ts';
import { noteKey } from './keyring.ts';
import { payIn } from './money.ts';
import { checkReplay, type ReplayRequest, rememberReplay, replayTouches } from './replays.ts';
import {
  type Allowance,
  addressWindow,
  dayAllowance,
  rollingAllowance,
  type TakeOptions,
  takeDay,
  takeRolling,
  windowOf,
} from './windows.ts';

export interface RegisterInput {
  accountId: string;
  key: KeyRow;
  /** Keyed hash of the client's address. */
  address: string;
  /** Larger networks that contain it, as keyed hashes, each with a separate limit for the same time. */
  networks?: readonly { prefix: number; address: string; limit: number }[];
  at: number;
  trial: Nano;
  /** The rest of the answer as JSON, which a repeated call gets again. */
  announced?: string | undefined;
  /** `perHour`: over all addresses, if there is such a limit. */
  limits: { perAddress: number; perDay: number; perHour?: number | undefined };
  replay?: ReplayRequest | undefined;
}

/**
 * `replayedSalt` is set if an earlier call with the same Idempotency-Key already registered; `announced` is then from that
 * call.
 */
export type RegisterResult =
  | { ok: true; accountId: string; keyId: string; balance: Nano; announced?: string | undefined; replayedSalt?: string }
  | { ok: false; reason: 'idempotency_key_reused' }
  /** `prefix`: of the network whose limit is reached, if it is not the address's own. */
  | { ok: false; reason: 'registration_ip_limit'; allowance: Allowance; prefix?: number }
  /** `isPace`: the registrations of an hour, not of the day. */
  | { ok: false; reason: 'registration_site_limit'; allowance: Allowance; isPace?: true };

export const REGISTRATION = {
  register: {
    touches: ({ accountId, address, networks = [], replay }: RegisterInput) => [
      { table: 'wallets', id: accountId },
      { table: 'windows', id: addressWindow('register', address) },
      ...networks.map((network) => ({ table: 'windows', id: addressWindow('register', network.address) }) as const),
      { table: 'windows', id: SITE_WINDOW },
      { table: 'windows', id: HOUR_WINDOW },
      { table: 'keyrings', id: accountId },
      ...replayTouches(replay),
    ],
    decide: register,
  },
} satisfies Operations;

const ADDRESS_SPAN_MS = DAY_MS;
const SITE_WINDOW = 'register:site';
const HOUR_WINDOW = 'register:hour';
/** While no guard asks for the hour, its slots share one entry per minute: they are there for a guard that is set later. */
const UNGUARDED_GRAIN_MS = MINUTE_MS;

function register(book: Book, input: RegisterInput): RegisterResult {
  const { accountId, key, at, trial, announced, limits } = input;
  const replay = checkReplay(book, input.replay, at);
  if (replay.found === 'other_body') return { ok: false, reason: 'idempotency_key_reused' };
  if (replay.found === 'same') {
    const { told, ...first } = JSON.parse(replay.result) as { accountId: string; keyId: string; told?: string };
    return { ok: true, ...first, announced: told, balance: trial, replayedSalt: replay.salt };
  }
  const origins: readonly OriginLimit[] = [
    { address: input.address, limit: limits.perAddress },
    ...(input.networks ?? []),
  ];
  const reached = findReached(book, origins, at);
  if (reached) return { ok: false, reason: 'registration_ip_limit', ...reached };
  const bySite = windowOf(book, SITE_WINDOW);
  const site = dayAllowance(bySite, at, limits.perDay);
  if (site.remaining < 1) return { ok: false, reason: 'registration_site_limit', allowance: site };
  const byHour = windowOf(book, HOUR_WINDOW);
  const hour = limits.perHour === undefined ? undefined : rollingAllowance(byHour, at, HOUR_MS, limits.perHour);
  if (hour && hour.remaining < 1) {
    return { ok: false, reason: 'registration_site_limit', allowance: hour, isPace: true };
  }

  assert(!book.get('wallets', accountId), 'an account is registered once');
  for (const { address, limit } of origins) {
    const id = addressWindow('register', address);
    book.put('windows', id, takeRolling(windowOf(book, id), at, ADDRESS_SPAN_MS, { keep: limit }));
  }
  book.put('windows', SITE_WINDOW, takeDay(bySite, at));
  book.put('windows', HOUR_WINDOW, takeRolling(byHour, at, HOUR_MS, hourOptions(limits.perHour)));
  book.add('accounts', { accountId, createdAt: at });
  book.put('wallets', accountId, {
    accountId,
    balance: 0n,
    held: 0n,
    inFlight: 0,
    freeInFlight: 0,
    frozen: false,
    balanceLow: BALANCE_LOW,
    paid: 0n,
    paidSpent: 0n,
    touchedAt: at,
  });
  book.put('keyrings', accountId, [key]);
  noteKey(book, 'key.created', key, at);
  if (trial > 0n) {
    payIn(book, { accountId, from: 'house:trial', kind: 'trial', amount: trial, reference: accountId, at });
  }
  rememberReplay(book, input.replay, { accountId, keyId: key.keyId, told: announced }, at);
  return { ok: true, accountId, keyId: key.keyId, balance: trial };
}

/** An address, or a network that it is in. */
interface OriginLimit {
  address: string;
  limit: number;
  prefix?: number;
}

/** The first of them that has no registration left. */
function findReached(
  book: Book,
  origins: readonly OriginLimit[],
  at: number,
): { allowance: Allowance; prefix?: number } | undefined {
  for (const { address, limit, prefix } of origins) {
    const allowance = rollingAllowance(windowOf(book, addressWindow('register', address)), at, ADDRESS_SPAN_MS, limit);
    if (allowance.remaining < 1) return { allowance, ...(prefix === undefined ? {} : { prefix }) };
  }
  return undefined;
}

function hourOptions(perHour: number | undefined): TakeOptions {
  return perHour === undefined ? { grainMs: UNGUARDED_GRAIN_MS } : { keep: perHour };
}
