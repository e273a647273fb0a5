// When the journal is posted: in a pause, or after a while without one, and again until it succeeds. Nobody who reads waits
// for it for long.

import { expect, test } from 'bun:test';
import { createPosting } from '../../src/store/sqlite/posting.ts';
import { createManualClock } from '../support/manual-clock.ts';

function start(answer: () => Promise<unknown> = () => Promise.resolve()) {
  const clock = createManualClock();
  const posted: number[] = [];
  const posting = createPosting(clock, () => {
    posted.push(clock.monotonic());
    return answer();
  });
  return { clock, posted, posting };
}

test('a pause is enough, and one posting for all that came before it', async () => {
  const { clock, posted, posting } = start();
  posting.soon();
  await clock.advance(100);
  posting.soon();
  await clock.advance(10_000);
  expect(posted).toEqual([400]);
});

test('commits that do not pause are posted after a second, again and again', async () => {
  const { clock, posted, posting } = start();
  for (let commit = 0; commit < 25; commit++) {
    posting.soon();
    await clock.advance(100);
  }
  expect(posted).toEqual([1_000, 2_000]);
});

test('what cannot be posted is tried again until it can', async () => {
  let failures = 2;
  const { clock, posted, posting } = start(async () => {
    if (failures-- > 0) throw new Error('database is locked');
  });
  posting.soon();
  await clock.advance(10_000);
  expect(posted).toEqual([200, 1_200, 2_200]);
});

test('a question hears whether it was posted, and waits two seconds at most', async () => {
  expect(await start().posting.beforeRead()).toBe(true);
  expect(await start(() => Promise.reject(new Error('disk is full'))).posting.beforeRead()).toBe(false);
  const { clock, posting } = start(() => new Promise(() => {}));
  let answer: boolean | undefined;
  void posting.beforeRead().then((isPosted) => {
    answer = isPosted;
  });
  await clock.advance(1_999);
  expect(answer).toBeUndefined();
  await clock.advance(1);
  expect(answer).toBe(false);
});

test('nothing is begun after it was stopped', async () => {
  const { clock, posted, posting } = start();
  posting.soon();
  posting.stop();
  posting.soon();
  await clock.advance(10_000);
  expect(posted).toEqual([]);
});
