// Operations that only the operator or the server itself requests: make a revision, credit or freeze a wallet, publish an
// incident, write a fact about the database once.

import { assert } from '../../kit/assert.ts';
import { acceptedName, acceptedValue } from '../accepted-chains.ts';
import type {
  ClaimInput,
  ClaimResult,
  CreditInput,
  CreditResult,
  DeleteIncidentInput,
  FreezeInput,
  FreezeResult,
  PutIncidentInput,
  PutIncidentResult,
  ReviseInput,
  ReviseResult,
} from '../operations.ts';
import type { Incident } from '../rows.ts';
import { noteAction } from './actions.ts';
import type { Book, Touch } from './book.ts';
import { fitsWallet, payIn } from './money.ts';

/** A row that the database keeps: two edits of the same revision exclude each other. */
const NEWEST: Touch = { table: 'settings', id: 'newest_revision' };

export function reviseTouches(): Touch[] {
  return [NEWEST];
}

export function revise(book: Book, input: ReviseInput): ReviseResult {
  const { document, source, sourceHash, at, expects, events = [], log } = input;
  if (expects !== undefined) {
    const newest = Number(book.get('settings', NEWEST.id)?.value ?? 0);
    // One of the same batch has no number yet, but is newer in any case.
    if (newest !== expects || book.added.revisions.length > 0) return { ok: false, reason: 'stale' };
  }
  const { actor, action } = log;
  book.add('revisions', { document, source, sourceHash, createdAt: at, actor, action, log });
  for (const event of events) book.add('events', event);
  return { ok: true };
}

export function credit(book: Book, input: CreditInput): CreditResult {
  const { accountId, amount, reference, reason, kind = 'credit', at } = input;
  const wallet = book.get('wallets', accountId);
  if (!wallet) return { ok: false, reason: 'not_found' };
  if (!fitsWallet(wallet, amount)) return { ok: false, reason: 'wallet_full' };
  const isPaid = kind === 'topup';
  const from = isPaid ? 'house:topups' : 'house:credit';
  const balance = payIn(book, { accountId, from, kind, isPaid, amount, reference, note: reason, at });
  noteAction(book, input);
  return { ok: true, balance };
}

/** Marks a wallet that was frozen because it does not agree with its entries. What an operator froze has no mark. */
export function auditFreezeName(accountId: string): string {
  return `frozen_by_audit:${accountId}`;
}

export function freezeTouches({ accountId, accepted }: FreezeInput): Touch[] {
  return [
    { table: 'wallets', id: accountId },
    { table: 'settings', id: auditFreezeName(accountId) },
    ...(accepted ? [{ table: 'settings', id: acceptedName(accountId) } as const] : []),
  ];
}

/** Several at once are logged once. */
export function freeze(book: Book, input: FreezeInput): FreezeResult {
  const { accountId, frozen, at, accepted, byAudit = false } = input;
  const wallet = book.get('wallets', accountId);
  assert(wallet, 'an account has a wallet');
  const mark = auditFreezeName(accountId);
  const isMarked = book.get('settings', mark) !== undefined;
  if (wallet.frozen === frozen && (isMarked || !byAudit)) return { wasAlready: true };
  if (isMarked !== byAudit) book.put('settings', mark, byAudit ? { value: String(at) } : undefined);
  book.put('wallets', accountId, { ...wallet, frozen, touchedAt: at });
  if (accepted) book.put('settings', acceptedName(accountId), { value: acceptedValue(accepted) });
  noteAction(book, input);
  return { wasAlready: false };
}

export function claim(book: Book, input: ClaimInput): ClaimResult {
  const { name, value } = input;
  const known = book.get('settings', name);
  if (known) return { value: known.value, isFirst: false };
  book.put('settings', name, { value });
  noteAction(book, input);
  return { value, isFirst: true };
}

export function putIncident(book: Book, input: PutIncidentInput): PutIncidentResult {
  const { incident: given, changes } = input;
  const { incidentId } = given;
  const known = book.get('incidents', incidentId);
  if (changes && !known) return { ok: false, reason: 'not_found' };
  if (changes === 'end' && known?.endedAt !== null) return { ok: false, reason: 'ended' };
  const words = changes === 'end' ? { ...given, ...known } : given;
  const endedAt = changes === 'words' ? (known?.endedAt ?? null) : given.endedAt;
  // Another node may have moved its start meanwhile, with another clock.
  const incident = { ...words, endedAt: changes && endedAt !== null ? Math.max(endedAt, words.startedAt) : endedAt };
  book.put('incidents', incidentId, incident);
  noteAction(book, input);
  addIncidentEvents(book, known, incident, input.log?.at ?? incident.createdAt);
  return { ok: true, incident };
}

/** One that has an end already when it is published was opened and resolved. */
function addIncidentEvents(book: Book, before: Incident | undefined, after: Incident, at: number): void {
  const { incidentId, startedAt, endedAt } = after;
  const data = { incident_id: incidentId, started_at: new Date(startedAt).toISOString() };
  const wasOpen = before?.endedAt === null;
  if (!before || (!wasOpen && endedAt === null)) {
    book.add('events', { accountId: null, type: 'incident.opened', at, data });
  }
  if (endedAt !== null && (!before || wasOpen)) {
    const resolved = { ...data, ended_at: new Date(endedAt).toISOString() };
    book.add('events', { accountId: null, type: 'incident.resolved', at, data: resolved });
  }
}

export function deleteIncident(book: Book, input: DeleteIncidentInput): { wasThere: boolean } {
  const { incidentId } = input;
  const wasThere = book.get('incidents', incidentId) !== undefined;
  book.put('incidents', incidentId, undefined);
  if (wasThere) noteAction(book, input);
  return { wasThere };
}
