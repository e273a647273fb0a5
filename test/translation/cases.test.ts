// Every case of cases/, for each pair of client and upstream it stands for, as a whole answer and as a stream. `npm test` takes
// one of the two for each pair, the other one in the next; a case of one pair, and `npm run test:long`, take both.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { IS_LONG_RUN, RUN_SEED } from '../support/long-run.ts';
import { runCase } from './run-case.ts';
import { CLIENTS, PAIRS, UPSTREAMS } from './sides.ts';
import { type CaseOfPair, pairsOf, readCases, type Way } from './translation-case.ts';
import { startTranslationGateway, type TranslationGateway } from './translation-gateway.ts';

const WAYS: readonly Way[] = ['whole', 'stream'];
const files = readCases();
const all = [...files.values()].flat().flatMap(pairsOf);
let setting: TranslationGateway;

beforeAll(async () => {
  setting = await startTranslationGateway(all);
});
afterAll(() => setting.stop());

function waysOf({ case: one }: CaseOfPair, index: number): readonly Way[] {
  const ways = one.ways ?? WAYS;
  if (IS_LONG_RUN || pairsOf(one).length === 1) return ways;
  return ways.filter((way) => ways.length === 1 || (index + RUN_SEED) % WAYS.length === WAYS.indexOf(way));
}

for (const [file, cases] of files) {
  describe(file, () => {
    for (const [index, pair] of cases.flatMap(pairsOf).entries()) {
      for (const way of waysOf(pair, index)) {
        test(`${pair.client} to ${pair.upstream}, ${way}: ${pair.case.name}`, () => runCase(setting, pair, way));
      }
    }
  });
}

test('each pair has its cases', () => {
  const counts = PAIRS.map(([client, upstream]) => ({
    pair: `${client} to ${upstream}`,
    cases: all.filter((one) => one.client === client && one.upstream === upstream).length,
  }));
  console.log([...counts.map(({ pair, cases }) => `${pair}: ${cases}`), `together: ${all.length} cases`].join('\n'));
  for (const { pair, cases } of counts) expect(cases, pair).toBeGreaterThan(40);
});

test('no two cases of a file have one name', () => {
  for (const cases of files.values()) expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
});

test('cases name only sides that there are', () => {
  for (const one of [...files.values()].flat()) {
    const { asks, refused, shows, showsText, sends, sendsText, reply } = one;
    for (const name of [asks, refused, shows, showsText].flatMap((part) => Object.keys(part ?? {}))) {
      expect(Object.keys(CLIENTS), one.name).toContain(name);
    }
    for (const name of [sends, sendsText, reply].flatMap((part) => Object.keys(part ?? {}))) {
      expect(Object.keys(UPSTREAMS), one.name).toContain(name);
    }
    for (const name of one.clients ?? []) expect(Object.keys(CLIENTS), one.name).toContain(name);
    for (const name of one.upstreams ?? []) expect(Object.keys(UPSTREAMS), one.name).toContain(name);
  }
});
