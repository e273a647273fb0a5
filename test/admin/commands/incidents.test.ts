// incidents add, list, end, delete: beside a running server, whose public status tells them within a second.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Answer } from '../../support/answer.ts';
import { eventually } from '../../support/eventually.ts';
import { createWorkplace, type RunningServer } from '../../support/start-process.ts';
import { withTables } from '../../support/with-tables.ts';

const place = createWorkplace();
let server: RunningServer;
beforeAll(async () => {
  server = await place.serve();
});
afterAll(() => place.remove());

async function json(...args: string[]): Promise<Answer> {
  const { exitCode, stdout, stderr } = await place.gateway(['incidents', ...args, '--json']);
  if (exitCode !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}
const published = async (): Promise<Answer[]> => {
  const { incidents } = (await (await fetch(`${server.url}/api/public/status`)).json()) as Answer;
  return incidents;
};
/** All that `list` has to show, without a start of the command line. */
const stored = () =>
  withTables(`${place.dataDir}/gateway.sqlite`, (db) => db.query('SELECT * FROM incidents ORDER BY incident_id').all());
const TITLES = ['--title-en', 'Slow answers', '--title-zh', '回應較慢'];

test('an incident is told, ended and taken back', async () => {
  const made = await json(
    'add',
    ...TITLES,
    '--text-en',
    'We look.',
    '--text-zh',
    '處理中。',
    '--started',
    '2026-01-15',
  );
  expect(made).toEqual({
    id: expect.stringMatching(/^inc_[0-9a-z]{26}$/),
    started_at: '2026-01-14T16:00:00.000Z',
    ended_at: null,
    title_en: 'Slow answers',
    title_zh: '回應較慢',
    text_en: 'We look.',
    text_zh: '處理中。',
  });
  expect(await published()).toEqual([
    {
      id: made.id,
      started_at: '2026-01-14T16:00:00.000Z',
      ended_at: null,
      title: { en: 'Slow answers', 'zh-TW': '回應較慢' },
      text: { en: 'We look.', 'zh-TW': '處理中。' },
    },
  ]);
  const { stdout } = await place.gateway(['incidents', 'list']);
  expect(stdout).toMatch(new RegExp(`^${made.id} +2026-01-15 00:00 +goes on +Slow answers / 回應較慢$`, 'm'));

  const ended = await place.gateway(['incidents', 'end', made.id]);
  expect(ended).toMatchObject({ exitCode: 0, stdout: `${made.id} has ended\n` });
  const endedAt = await eventually('its end is told', async () => (await published())[0]?.ended_at ?? undefined);
  expect(Date.parse(endedAt)).toBeGreaterThan(Date.parse(made.started_at));
  expect(await place.gateway(['incidents', 'end', made.id])).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: `${made.id} has ended already\n`,
  });

  expect((await place.gateway(['incidents', 'delete', made.id])).stdout).toBe(`${made.id} is deleted\n`);
  await eventually('it is told no more', async () => (await published()).length === 0);
});

test('the newest comes first, and one without a date begins now', async () => {
  const before = Date.now();
  const old = await json('add', ...TITLES, '--started', '2026-01-15T09:30:00+08:00');
  const { stdout } = await place.gateway(['incidents', 'add', ...TITLES]);
  const list = await json('list');
  expect(list.map(({ id }: Answer) => id)).toEqual([stdout.trim(), old.id]);
  expect(Date.parse(list[0].started_at)).toBeGreaterThanOrEqual(before);
  expect(list[1].started_at).toBe('2026-01-15T01:30:00.000Z');
  expect(stored()).toHaveLength(2);
});

test('one that is over is told with its end, and never as going on', async () => {
  const made = await json('add', ...TITLES, '--started', '2026-01-15', '--ended', '2026-01-15T09:30:00+08:00');
  expect([made.started_at, made.ended_at]).toEqual(['2026-01-14T16:00:00.000Z', '2026-01-15T01:30:00.000Z']);
});

test.each([
  ['a title of nothing', ['add', '--title-en', ' ', '--title-zh', '標題'], 1],
  ['a title that is too long', ['add', '--title-en', 'x'.repeat(201), '--title-zh', '標題'], 1],
  ['a title of two lines', ['add', '--title-en', 'a\nb', '--title-zh', '標題'], 1],
  ['a title with a control character', ['add', '--title-en', 'a\u001bb', '--title-zh', '標題'], 1],
  ['a text in one language', ['add', ...TITLES, '--text-en', 'x'], 1],
  ['a date that is none', ['add', ...TITLES, '--started', '2026-02-30'], 1],
  ['a date to come', ['add', ...TITLES, '--started', '2999-01-01'], 1],
  ['a time without a zone', ['add', ...TITLES, '--started', '2026-01-15T09:30'], 1],
  ['an end before the start', ['add', ...TITLES, '--started', '2026-01-15', '--ended', '2026-01-14'], 1],
  ['an end to come', ['add', ...TITLES, '--ended', '2999-01-01'], 1],
  ['an unknown incident', ['end', 'inc_unknown'], 1],
  ['an unknown incident', ['delete', 'inc_unknown'], 1],
  ['no title in Chinese', ['add', '--title-en', 'x'], 2],
  ['no id', ['end'], 2],
  ['an unknown option', ['add', ...TITLES, '--severity', 'high'], 2],
])('with %s: %j is refused', async (_, args, code) => {
  const before = stored();
  const { exitCode, stdout } = await place.gateway(['incidents', ...args]);
  expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' });
  expect(stored()).toEqual(before);
});

test('an end alone: that its start is missing', async () => {
  const { exitCode, stderr } = await place.gateway(['incidents', 'add', ...TITLES, '--ended', '2026-01-15']);
  expect([exitCode, stderr]).toEqual([1, '--started is missing: an incident that is over needs a start\n']);
});

test('a text in one language: which one is missing', async () => {
  const { stderr } = await place.gateway(['incidents', 'add', ...TITLES, '--text-en', 'x']);
  expect(stderr).toBe('--text-zh is missing: give the text in both languages, or in neither\n');
});
