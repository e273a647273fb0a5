// The issuer in the catalog document: nothing is needed, and what is printed must be right.

import { expect, test } from 'bun:test';
import { issuerShape } from '../../src/catalog/document.ts';

test('is empty with a tax of 5 percent unless it says otherwise', () => {
  const none = { name: null, tax_id: null, address: null, phone: null, invoice_note: null, tax: 5 };
  expect(issuerShape.parse(undefined)).toEqual(none);
  expect(issuerShape.parse({ tax: 0, tax_id: '04595257' })).toEqual({ ...none, tax: 0, tax_id: '04595257' });
});

test('refuses what cannot be printed or is no tax id', () => {
  for (const wrong of [
    { tax_id: '12345678' },
    { tax_id: 4595257 },
    { name: '' },
    { name: 'a\nb' },
    { address: 'x'.repeat(201) },
    { tax: -1 },
    { tax: 101 },
    { tax: 5.5 },
    { vat: 5 },
  ]) {
    expect([wrong, issuerShape.safeParse(wrong).success]).toEqual([wrong, false]);
  }
});
