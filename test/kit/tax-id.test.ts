// The check digit of tax ids, by ids of well-known companies and by ids that differ from them in one digit.

import { expect, test } from 'bun:test';
import { isTaxId } from '../../src/kit/tax-id.ts';

test('accepts ids whose weighted sum fits, also with a seventh digit of 7', () => {
  for (const id of ['04595257', '22099131', '12345675', '10458575', '00000000'])
    expect([id, isTaxId(id)]).toEqual([id, true]);
});

test('refuses another length, other characters and one wrong digit', () => {
  for (const id of ['', '0459525', '045952570', '0459525a', '０４５９５２５７', '04595258', '22099132', '12345676 ']) {
    expect([id, isTaxId(id)]).toEqual([id, false]);
  }
});
