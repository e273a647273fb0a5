// Quotes: ids that carry what was quoted, the prices that hold for them, and how much output a call likely has.

import { timingSafeEqual } from 'node:crypto';
import type { Catalog } from '../catalog/catalog.ts';
import { repriceCatalog } from '../catalog/price-list.ts';
import { isWithin } from '../catalog/schedule.ts';
import { type Clock, MINUTE_MS } from '../kit/clock.ts';
import type { JsonObject } from '../kit/json/json.ts';
import type { Nano } from '../kit/money.ts';
import { createHasher, createHashing } from '../kit/sealed.ts';
import { taipeiDay } from '../kit/taipei.ts';
import type { Store } from '../store/store.ts';
import type { PriceListAt } from './prices-at.ts';

interface QuoteTools {
  store: Pick<Store, 'read'>;
  clock: Clock;
  catalog(): Catalog;
  priceListAt: PriceListAt;
  pepper: string;
  pause(): Promise<void>;
}

export type Quotes = ReturnType<typeof createQuotes>;

export function createQuotes(tools: QuoteTools) {
  const { pepper, pause } = tools;
  return {
    ids: createQuoteIds(createHasher(pepper, 'quote')),
    hashRequest: createHashRequest(createHashing(pepper, 'quote'), pause),
    catalogAt: createCatalogAt(tools),
    likelyOutput: createLikelyOutput(tools),
  };
}

export interface QuotedRequest {
  accountId: string;
  endpoint: string;
  body: JsonObject;
}

/** Yields to other requests after this many characters. */
const STEP_CHARS = 512 * 1024;

/**
 * Identifies the call of a quote: a keyed hash of account, endpoint and body. Without the key, a prompt cannot be guessed
 * from it. Two bodies are the same if they are equal as JSON, with their fields in the same order; white space and escapes
 * do not matter.
 */
function createHashRequest(begin: () => Bun.CryptoHasher, pause: () => Promise<void>) {
  return async ({ accountId, endpoint, body }: QuotedRequest): Promise<string> => {
    const hasher = begin().update(`request\n${accountId}\n${endpoint}\n`);
    let chars = 0;
    for (const part of partsOf(body)) {
      hasher.update(part);
      chars += part.length;
      if (chars < STEP_CHARS) continue;
      chars = 0;
      await pause();
    }
    return hasher.digest('hex');
  };
}

/** Member by member, and lists item by item: messages can be many, and the whole text can be long. */
function* partsOf(body: JsonObject): Generator<string> {
  for (const [name, value] of Object.entries(body)) {
    yield `${JSON.stringify(name)}:`;
    if (!Array.isArray(value)) {
      yield `${JSON.stringify(value)},`;
      continue;
    }
    yield '[';
    for (const item of value) yield `${JSON.stringify(item)},`;
    yield '],';
  }
}

export const QUOTE_MS = 10 * 60_000;

interface Quote {
  expiresAt: number;
  /** The catalog revision whose prices hold. */
  revision: number;
  /** The moment at which they applied: the revision may have others later. */
  pricedAt: number;
  /** The most that a call with this quote can cost. */
  most: Nano;
  /** Keyed hash of the account, the endpoint and the body. */
  subject: string;
}

const PREFIX = 'qte_';
const MAX_CHARS = 400;

/** Nothing is stored: an id says what was quoted and until when, signed with a key that all nodes share. */
function createQuoteIds(hash: (text: string) => string) {
  const sign = (payload: string) => hash(`id\n${payload}`);
  return {
    write({ expiresAt, revision, pricedAt, most, subject }: Quote): string {
      const payload = [expiresAt, revision, pricedAt, most, subject].join('.');
      return PREFIX + Buffer.from(`${payload}.${sign(payload)}`).toString('base64url');
    },
    /** Undefined if this service did not write the id. */
    read(id: string): Quote | undefined {
      if (!id.startsWith(PREFIX) || id.length > MAX_CHARS) return undefined;
      const text = Buffer.from(id.slice(PREFIX.length), 'base64url').toString('latin1');
      const end = text.lastIndexOf('.');
      const payload = text.slice(0, Math.max(0, end));
      if (!isEqual(text.slice(end + 1), sign(payload))) return undefined;
      const [expiresAt = '', revision = '', pricedAt = '', most = '', subject] = payload.split('.');
      // An earlier version wrote no moment.
      if (subject === undefined) return undefined;
      const times = { expiresAt: Number(expiresAt), pricedAt: Number(pricedAt) };
      return { ...times, revision: Number(revision), most: BigInt(most), subject };
    },
  };
}

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given, 'latin1'), Buffer.from(expected, 'latin1')];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** A quote lives for minutes: few revisions are quoted at a time. */
const MAX_REVISIONS = 8;

/**
 * The catalog that a call with a quote is charged by: the active one with the prices of the quoted revision at the time of
 * the quote. Undefined if the revision is unknown or cannot be read.
 */
function createCatalogAt({ catalog, priceListAt }: QuoteTools) {
  const known = new Map<number, { active: Catalog; repriced: Catalog }>();
  return async (revision: number, pricedAt: number): Promise<Catalog | undefined> => {
    const active = catalog();
    if (active.revision === revision && isWithin(active, pricedAt)) return active;
    const found = known.get(revision);
    if (found?.active === active && isWithin(found.repriced, pricedAt)) return found.repriced;
    const period = await priceListAt(revision, pricedAt);
    if (!period) return undefined;
    const repriced = repriceCatalog(active, revision, period);
    if (known.size >= MAX_REVISIONS) known.clear();
    known.set(revision, { active, repriced });
    return repriced;
  };
}

const ACCOUNT_DAYS = 30;
const ALL_DAYS = 7;
/** The read over all accounts looks at many rows. */
const CACHED_FOR_MS = 10 * MINUTE_MS;

type Means = ReadonlyMap<string, number | undefined>;

/** The mean of the account's own answered calls of the last days, or else that of all accounts; undefined without any. */
function createLikelyOutput({ store, clock }: QuoteTools) {
  let cached: { means: Promise<Means>; until: number } | undefined;

  function meansOfAll(today: number): Promise<Means> {
    const now = clock.monotonic();
    if (cached && now < cached.until) return cached.means;
    const means = store.read.outputByModel(today - ALL_DAYS);
    const reading = { means, until: now + CACHED_FOR_MS };
    cached = reading;
    means.catch(() => {
      if (cached === reading) cached = undefined;
    });
    return means;
  }

  return async (accountId: string, model: string): Promise<number | undefined> => {
    const today = taipeiDay(clock.now());
    const own = await store.read.accountOutput(accountId, model, today - ACCOUNT_DAYS);
    return own ?? (await meansOfAll(today)).get(model);
  };
}
