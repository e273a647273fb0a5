// Ids of quotes. Nothing is stored: an id says what was quoted and until when, signed with a key that all nodes share.

import { timingSafeEqual } from 'node:crypto';
import type { Nano } from '../../kit/money.ts';

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

export interface QuoteIds {
  write(quote: Quote): string;
  /** Undefined if this service did not write the id. */
  read(id: string): Quote | undefined;
}

const PREFIX = 'qte_';
const MAX_CHARS = 400;

export function createQuoteIds(hash: (text: string) => string): QuoteIds {
  const sign = (payload: string) => hash(`id\n${payload}`);
  return {
    write({ expiresAt, revision, pricedAt, most, subject }) {
      const payload = [expiresAt, revision, pricedAt, most, subject].join('.');
      return PREFIX + Buffer.from(`${payload}.${sign(payload)}`).toString('base64url');
    },
    read(id) {
      if (!id.startsWith(PREFIX) || id.length > MAX_CHARS) return undefined;
      const text = Buffer.from(id.slice(PREFIX.length), 'base64url').toString('latin1');
      const end = text.lastIndexOf('.');
      const payload = text.slice(0, Math.max(0, end));
      if (!isEqual(text.slice(end + 1), sign(payload))) return undefined;
      const [expiresAt = '', revision = '', pricedAt = '', most = '', subject] = payload.split('.');
      // An earlier version wrote no moment.
      if (subject === undefined) return undefined;
      return {
        expiresAt: Number(expiresAt),
        revision: Number(revision),
        pricedAt: Number(pricedAt),
        most: BigInt(most),
        subject,
      };
    },
  };
}

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given, 'latin1'), Buffer.from(expected, 'latin1')];
  return one.length === other.length && timingSafeEqual(one, other);
}
