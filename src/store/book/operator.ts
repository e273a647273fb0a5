// What only the operator or the server itself does: credit or freeze a wallet, say once what belongs to the database.

import { assert } from '../../kit/assert.ts';
import type { ClaimInput, CreditInput, CreditResult, DeleteIncidentInput, FreezeInput } from '../operations.ts';
import type { Book } from './book.ts';
import { payIn } from './money.ts';

export function credit(book: Book, { accountId, amount, reference, reason, at }: CreditInput): CreditResult {
  if (!book.get('wallets', accountId)) return { ok: false, reason: 'not_found' };
  const payment = { accountId, from: 'house:credit', kind: 'credit', amount, reference, note: reason, at } as const;
  return { ok: true, balance: payIn(book, payment) };
}

export function freeze(book: Book, { accountId, frozen, at }: FreezeInput): undefined {
  const wallet = book.get('wallets', accountId);
  assert(wallet, 'an account has a wallet');
  book.put('wallets', accountId, { ...wallet, frozen, touchedAt: at });
}

export function claim(book: Book, { name, value }: ClaimInput): { value: string } {
  const known = book.get('settings', name);
  if (!known) book.put('settings', name, { value });
  return known ?? { value };
}

export function deleteIncident(book: Book, { incidentId }: DeleteIncidentInput): { wasThere: boolean } {
  const wasThere = book.get('incidents', incidentId) !== undefined;
  book.put('incidents', incidentId, undefined);
  return { wasThere };
}
