// What a channel served, with the route of its time; records are counted only where the sums of a day do not tell.

import { expect, test } from 'bun:test';
import { servedDays } from '../../../src/admin/actions/served-days.ts';
import type { OperatingTools } from '../../../src/admin/actions/tools.ts';
import { HOUR_MS } from '../../../src/kit/clock.ts';
import { taipeiDayStart } from '../../../src/kit/taipei.ts';
import { NO_BUCKETS } from '../../../src/store/rows.ts';
import { testDocument, upModel } from '../../support/test-document.ts';

const FIRST = 20_000;
const served = (day: number) => ({ day, model: 'talk', requests: 1, cost: 1n, ...NO_BUCKETS });

function documentOf(name: string, unrelated = 10, others: readonly string[] = []): string {
  const standard = testDocument('http://127.0.0.1:9');
  const routes = [name, ...others].map((model) => ({ channel: 'up', model }));
  const talk = upModel('talk', { price: { input: unrelated, output: 1 }, routes });
  return JSON.stringify({ ...standard, models: [...standard.models.slice(0, 1), talk] });
}

/** One revision after the other, by when it was made. */
function toolsWith(revisions: readonly { at: number; document: string }[]) {
  const counted: number[] = [];
  const stored = revisions.map(({ at, document }, index) => ({ revision: index + 1, createdAt: at, document }));
  const read = {
    channelDays: async (_: string, from: number, to: number) =>
      Array.from({ length: to - from }, (__, index) => served(from + index)),
    async channelRevisions(_: string, day: number) {
      counted.push(day);
      return stored.map(({ revision }) => ({ ...served(day), revision }));
    },
    revisions: async (before: number, limit: number) =>
      stored
        .toReversed()
        .filter(({ revision }) => revision < before)
        .slice(0, limit),
    revision: async (revision: number) => stored[revision - 1],
  };
  const namesOf = async (from: number, to: number) => {
    const days = await servedDays({ store: { read } } as unknown as OperatingTools, 'up', from, to);
    return days.map(({ day, routes }) => [day - FIRST, ...routes.map(({ upstreamModel }) => upstreamModel)]);
  };
  return { namesOf, counted };
}

test('each day has the name of its time; records are counted on the day of the change alone', async () => {
  const { namesOf, counted } = toolsWith([
    { at: taipeiDayStart(FIRST - 9), document: documentOf('old') },
    { at: taipeiDayStart(FIRST + 1) + 8 * HOUR_MS, document: documentOf('new') },
    { at: taipeiDayStart(FIRST + 5), document: documentOf('newest') },
  ]);
  expect(await namesOf(FIRST, FIRST + 3)).toEqual([[0, 'old'], [1, 'old'], [1, 'new'], [1], [2, 'new']]);
  expect(counted).toEqual([FIRST + 1]);
});

test('a revision that changes nothing of the channel costs nothing', async () => {
  const { namesOf, counted } = toolsWith(
    Array.from({ length: 450 }, (_, index) => ({
      at: taipeiDayStart(FIRST) + index * 60_000,
      document: documentOf('same', 1 + index),
    })),
  );
  expect(await namesOf(FIRST, FIRST + 1)).toEqual([[0, 'same']]);
  expect(counted).toEqual([]);
});

test('of several routes to the channel all are told, of equal ones only one', async () => {
  const { namesOf } = toolsWith([{ at: 0, document: documentOf('one', 10, ['two', 'one']) }]);
  expect(await namesOf(FIRST, FIRST + 1)).toEqual([[0, 'one', 'two']]);
});

test('a document that cannot be read any more tells no route', async () => {
  const { namesOf } = toolsWith([{ at: 0, document: '{"channels": "of another time"}' }]);
  expect(await namesOf(FIRST, FIRST + 1)).toEqual([[0]]);
});
