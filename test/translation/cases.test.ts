// Every case of cases/, for each pair of client and upstream it stands for, as a whole answer and as a stream.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { runCase } from './run-case.ts';
import { CLIENTS, PAIRS, UPSTREAMS } from './sides.ts';
import { pairsOf, readCases } from './translation-case.ts';
import { startTranslationGateway, type TranslationGateway } from './translation-gateway.ts';

const files = readCases();
const all = [...files.values()].flat().flatMap(pairsOf);
let setting: TranslationGateway;

beforeAll(async () => {
  setting = await startTranslationGateway(all);
});
afterAll(() => setting.stop());

for (const [file, cases] of files) {
  describe(file, () => {
    for (const pair of cases.flatMap(pairsOf)) {
      for (const way of pair.case.ways ?? (['whole', 'stream'] as const)) {
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
