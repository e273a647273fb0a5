// Operations that only the operator or the server itself requests: make a revision, credit or freeze a wallet, publish an
// incident, write a fact about the database once.

import { assert } from '../../kit/assert.ts';
import type { Nano } from '../../kit/money.ts';
import { type AcceptedChain, acceptedName, acceptedValue } from '../accepted-chains.ts';
import type { Action, Incident, Lease, NewEvent, RevisionSource } from '../rows.ts';
import { type Logged, noteAction } from './actors.ts';
import type { Book, Operations, Touch } from './book.ts';
import { fitsWallet, payIn } from './money.ts';

interface ReviseInput {
  document: string;
  source: RevisionSource;
  sourceHash: string;
  at: number;
  /** The revision that it follows: if another is the newest, nothing is written. */
  expects?: number | undefined;
  /** Its changes for all accounts. */
  events?: readonly NewEvent[] | undefined;
  /** The line for the log of actions, which every revision has; the revision's number is added to its detail. */
  log: Action;
}

export interface CreditInput extends Logged {
  accountId: string;
  amount: Nano;
  /** Unique: the same reference never credits twice. */
  reference: string;
  reason: string;
  /** `topup`: the customer paid for it, so it can be paid out. */
  kind?: 'credit' | 'topup' | undefined;
  at: number;
}

export type CreditResult = { ok: true; balance: Nano } | { ok: false; reason: 'not_found' | 'wallet_full' };

export interface FreezeInput extends Logged {
  accountId: string;
  frozen: boolean;
  at: number;
  /** To unfreeze: the audit accepts the chain up to here. */
  accepted?: AcceptedChain | undefined;
  /** The balance does not match the entries: nothing is paid out until the account is unfrozen. */
  byAudit?: boolean;
}

export interface FreezeResult {
  /** Nothing was written, because it had this state already. */
  wasAlready: boolean;
}

/** Writes a fact about the database unless it exists already; returns the stored one. */
interface ClaimInput extends Logged {
  name: 'pepper' | `alarm_seen:${number}` | `alarms_seen:${string}:${number}`;
  value: string;
}

interface PutIncidentInput extends Logged {
  incident: Incident;
  /** Changes an existing one: its text and start, its end, or both. Other fields stay as they are. */
  changes?: 'words' | 'end' | 'words_and_end';
}

export type PutIncidentResult =
  | { ok: true; incident: Incident }
  /** `ended`: it has an end already. */
  | { ok: false; reason: 'not_found' | 'ended' };

interface DeleteIncidentInput extends Logged {
  incidentId: string;
}

/** A row that the database keeps: two edits of the same revision exclude each other. */
const NEWEST: Touch = { table: 'settings', id: 'newest_revision' };

export const OPERATOR_OPERATIONS = {
  lease: {
    touches: ({ nodeId }: Lease) => [{ table: 'leases', id: nodeId }],
    decide: (book: Book, lease: Lease): undefined => void book.put('leases', lease.nodeId, lease),
  },
  revise: { touches: (_: ReviseInput) => [NEWEST], decide: revise },
  credit: { touches: ({ accountId }: CreditInput) => [{ table: 'wallets', id: accountId }], decide: credit },
  freeze: {
    touches: ({ accountId, accepted }: FreezeInput) => [
      { table: 'wallets', id: accountId },
      { table: 'settings', id: auditFreezeName(accountId) },
      ...(accepted ? [{ table: 'settings', id: acceptedName(accountId) } as const] : []),
    ],
    decide: freeze,
  },
  claim: { touches: ({ name }: ClaimInput) => [{ table: 'settings', id: name }], decide: claim },
  putIncident: {
    touches: ({ incident }: PutIncidentInput) => [{ table: 'incidents', id: incident.incidentId }],
    decide: putIncident,
  },
  deleteIncident: {
    touches: ({ incidentId }: DeleteIncidentInput) => [{ table: 'incidents', id: incidentId }],
    decide: deleteIncident,
  },
  /** Only adds a line to the log of actions, for actions that change nothing in the store. */
  note: { touches: () => [], decide: (book: Book, input: { log: Action }): undefined => noteAction(book, input) },
} satisfies Operations;

function revise(book: Book, input: ReviseInput): { ok: true } | { ok: false; reason: 'stale' } {
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

function credit(book: Book, input: CreditInput): CreditResult {
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

/** Several at once are logged once. */
function freeze(book: Book, input: FreezeInput): FreezeResult {
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

function claim(book: Book, input: ClaimInput): { value: string; isFirst: boolean } {
  const { name, value } = input;
  const known = book.get('settings', name);
  if (known) return { value: known.value, isFirst: false };
  book.put('settings', name, { value });
  noteAction(book, input);
  return { value, isFirst: true };
}

function putIncident(book: Book, input: PutIncidentInput): PutIncidentResult {
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

function deleteIncident(book: Book, input: DeleteIncidentInput): { wasThere: boolean } {
  const { incidentId } = input;
  const wasThere = book.get('incidents', incidentId) !== undefined;
  book.put('incidents', incidentId, undefined);
  if (wasThere) noteAction(book, input);
  return { wasThere };
}
