// Account, key, trial credit and limit slots: one transaction, or nothing.

import type { RegisterInput, RegisterResult } from '../operations.ts';
import type { Book, Touch } from './book.ts';
import { dayAllowance, EMPTY_WINDOW, rollingAllowance, takeDay, takeRolling } from './windows.ts';

const ADDRESS_SPAN_MS = 86_400_000;
const SITE_WINDOW = 'register:site';

function addressWindow(address: string): string {
  return `register:address:${address}`;
}

export function registerTouches(input: RegisterInput): Touch[] {
  return [
    { table: 'windows', id: addressWindow(input.address) },
    { table: 'windows', id: SITE_WINDOW },
    { table: 'wallets', id: input.accountId },
  ];
}

export function register(book: Book, input: RegisterInput): RegisterResult {
  const { accountId, key, at, trial, limits } = input;
  const byAddress = book.get('windows', addressWindow(input.address)) ?? EMPTY_WINDOW;
  const bySite = book.get('windows', SITE_WINDOW) ?? EMPTY_WINDOW;
  const address = rollingAllowance(byAddress, at, ADDRESS_SPAN_MS, limits.perAddress);
  if (address.remaining < 1) return { ok: false, reason: 'registration_ip_limit', allowance: address };
  const site = dayAllowance(bySite, at, limits.perDay);
  if (site.remaining < 1) return { ok: false, reason: 'registration_site_limit', allowance: site };

  book.put('windows', addressWindow(input.address), takeRolling(byAddress, at, ADDRESS_SPAN_MS));
  book.put('windows', SITE_WINDOW, takeDay(bySite, at));
  book.add('accounts', { accountId, createdAt: at });
  book.add('keys', key);
  book.put('wallets', accountId, { accountId, balance: trial, held: 0n, inFlight: 0, freeInFlight: 0 });
  if (trial > 0n) {
    book.add('entries', {
      at,
      kind: 'trial',
      debit: 'house:trial',
      credit: accountId,
      amount: trial,
      accountId,
      balanceAfter: trial,
      reference: accountId,
    });
  }
  return { ok: true, balance: trial };
}
