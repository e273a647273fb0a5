// What only the operator or the server itself does: make a revision, credit or freeze a wallet, tell of troubles, say once
// what belongs to the database.

import { assert } from '../../kit/assert.ts';
import type {
  ClaimInput,
  CreditInput,
  CreditResult,
  DeleteIncidentInput,
  FreezeInput,
  PutIncidentInput,
  ReviseInput,
  ReviseResult,
} from '../operations.ts';
import { noteAction } from './actions.ts';
import type { Book, Touch } from './book.ts';
import { payIn } from './money.ts';

/** A row that the database keeps: it locks out whoever edits the same revision. */
const NEWEST: Touch = { table: 'settings', id: 'newest_revision' };

export function reviseTouches(): Touch[] {
  return [NEWEST];
}

export function revise(book: Book, input: ReviseInput): ReviseResult {
  const { document, source, sourceHash, at, expects, log } = input;
  if (expects !== undefined) {
    const newest = Number(book.get('settings', NEWEST.id)?.value ?? 0);
    // One of the same batch has no number yet, but is newer in any case.
    if (newest !== expects || book.added.revisions.length > 0) return { ok: false, reason: 'stale' };
  }
  const { actor = null, action = null } = log ?? {};
  book.add('revisions', { document, source, sourceHash, createdAt: at, actor, action });
  noteAction(book, input);
  return { ok: true };
}

export function credit(book: Book, input: CreditInput): CreditResult {
  const { accountId, amount, reference, reason, at } = input;
  if (!book.get('wallets', accountId)) return { ok: false, reason: 'not_found' };
  const payment = { accountId, from: 'house:credit', kind: 'credit', amount, reference, note: reason, at } as const;
  const balance = payIn(book, payment);
  noteAction(book, input);
  return { ok: true, balance };
}

export function freeze(book: Book, input: FreezeInput): undefined {
  const { accountId, frozen, at } = input;
  const wallet = book.get('wallets', accountId);
  assert(wallet, 'an account has a wallet');
  book.put('wallets', accountId, { ...wallet, frozen, touchedAt: at });
  noteAction(book, input);
}

export function claim(book: Book, { name, value }: ClaimInput): { value: string } {
  const known = book.get('settings', name);
  if (!known) book.put('settings', name, { value });
  return known ?? { value };
}

export function putIncident(book: Book, input: PutIncidentInput): undefined {
  book.put('incidents', input.incident.incidentId, input.incident);
  noteAction(book, input);
}

export function deleteIncident(book: Book, input: DeleteIncidentInput): { wasThere: boolean } {
  const { incidentId } = input;
  const wasThere = book.get('incidents', incidentId) !== undefined;
  book.put('incidents', incidentId, undefined);
  if (wasThere) noteAction(book, input);
  return { wasThere };
}
