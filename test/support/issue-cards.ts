// Cards in the database of a running gateway, made by the code that the command line uses.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCardCode, createCardHasher, createSerial } from '../../src/accounts/card-code.ts';
import { systemRandom } from '../../src/kit/random.ts';
import type { CardKind } from '../../src/store/rows.ts';
import type { TestGateway } from './gateway.ts';

export interface IssueOptions {
  amount?: bigint;
  kind?: CardKind;
  expiresAt?: number;
}

export interface TestCard {
  serial: string;
  code: string;
  hash: string;
}

export async function issueCard(gateway: TestGateway, options: IssueOptions = {}): Promise<TestCard> {
  const {
    amount = 100_000_000_000n,
    kind = options.expiresAt === undefined ? 'sold' : 'promo',
    expiresAt = null,
  } = options;
  const serial = createSerial(systemRandom);
  const code = unissuedCode();
  const hash = createCardHasher(readFileSync(join(gateway.dataDir, 'pepper'), 'utf8').trim())(code);
  const batch = { batchId: `batch_${serial}`, kind, amount, count: 1, expiresAt, note: null, createdAt: 0 };
  await gateway.gateway.store.commit('issue', { batch, cards: [{ hash, serial }] });
  return { serial, code, hash };
}

/** A well-formed code that no card has. */
export function unissuedCode(): string {
  return createCardCode(systemRandom);
}
