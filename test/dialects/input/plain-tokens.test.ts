// The careful count never exceeds the usual one, is the same for prose, and takes nothing for what tokenizers shorten.

import { expect, test } from 'bun:test';
import { PlainTokens, weighPlain } from '../../../src/dialects/input/plain-tokens.ts';
import { weighTokens } from '../../../src/kit/tokens.ts';

const PROSE =
  'All of the 12 letters arrived on Monday (see below); a small committee read them. 帳單依上游的回報計算。';

test('prose weighs what it always does', () => {
  expect(weighPlain(PROSE)).toBe(weighTokens(PROSE));
});

test.each([
  ['a run', '='.repeat(500)],
  ['spaces and lines', ' \n '.repeat(300)],
  ['a table', '|---'.repeat(200)],
  ['lines of a box', '─'.repeat(300)],
  ['base64', Buffer.alloc(900, 'some bytes').toString('base64')],
])('%s between words adds nothing', (_, dense) => {
  expect(weighPlain(`one${dense}`)).toBeLessThanOrEqual(weighTokens('one'));
  expect(weighPlain(`${PROSE} ${dense}`)).toBeLessThanOrEqual(weighTokens(`${PROSE} `));
});

test('deltas are weighed together: a run that comes one character at a time is a run', () => {
  const count = new PlainTokens();
  for (let i = 0; i < 5_000; i++) count.add('=');
  expect(count.total()).toBeLessThan(5);
  for (const word of PROSE.split(/(?= )/)) count.add(word);
  expect(count.total()).toBeCloseTo(weighTokens(PROSE), 0);
});
