// What `cards issue` and `accounts credit` do not take: refused before anything is written.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createCardHasher } from '../../../src/accounts/card-code.ts';
import { OperatingRefused } from '../../../src/admin/actions/refused.ts';
import type { OperatingTools } from '../../../src/admin/actions/tools.ts';
import { accountCommands } from '../../../src/admin/commands/accounts.ts';
import { cardCommands } from '../../../src/admin/commands/cards.ts';
import { type Command, CommandRefused, optionRefusal } from '../../../src/admin/commands/command.ts';
import { systemClock } from '../../../src/kit/clock.ts';
import { createIds } from '../../../src/kit/ids.ts';
import { systemRandom } from '../../../src/kit/random.ts';
import { createSealer } from '../../../src/kit/sealed.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';

const PEPPER = 'a-fake-pepper-for-tests';
let gateway: TestGateway;
let accountId: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  accountId = (await gateway.register()).accountId;
});
afterAll(() => gateway.stop());

const open = async (): Promise<OperatingTools> => ({
  store: gateway.gateway.store,
  clock: systemClock,
  random: systemRandom,
  newId: createIds(systemClock, systemRandom),
  sealer: createSealer(PEPPER, systemRandom),
  hashKey: (key) => key,
  hashCard: createCardHasher(PEPPER),
  findUpstream: () => {
    throw new Error('no command here asks an upstream');
  },
  publicUrl: 'http://127.0.0.1',
  follow: async () => {},
});

async function run(commands: readonly Command[], words: string, options: Record<string, string>, args: string[] = []) {
  const command = commands.find((one) => one.words === words);
  if (!command) throw new Error(`no command ${words}`);
  return command.run({
    args,
    options,
    open,
    configFile: undefined,
    variable: () => undefined,
    hasDatabase: () => true,
    databaseFile: () => undefined,
    databasePlace: 'here',
    pepperFingerprint: () => undefined,
    serveLine: '',
    serverUrl: 'http://127.0.0.1:9',
    ask: () => Promise.reject(new Error('nobody serves')),
  });
}
const rows = () => [
  gateway.sql('SELECT count(*) AS n FROM cards'),
  gateway.sql('SELECT count(*) AS n FROM card_batches'),
  gateway.sql('SELECT count(*) AS n FROM entries'),
];
async function refusalOf(running: Promise<unknown>): Promise<string> {
  const before = rows();
  const outcome = await running.catch((error: unknown) => error);
  expect(rows()).toEqual(before);
  if (outcome instanceof OperatingRefused) return optionRefusal(outcome);
  if (outcome instanceof CommandRefused) return outcome.message;
  throw new Error('it was not refused');
}

const BAD_AMOUNTS = [
  '0',
  '0.000000000',
  '-5',
  '-0.000000001',
  'NaN',
  'Infinity',
  '1e400',
  '1e3',
  '0x10',
  '',
  ' 5',
  '1,000',
  '5 NT$',
  '٥',
  '.5',
  '5.',
  '1.0000000001',
  '9223372037',
  '100000000.000000001',
];

describe('an amount', () => {
  test.each(BAD_AMOUNTS)('of %p is refused on a card and as a credit', async (amount) => {
    expect(await refusalOf(run(cardCommands, 'cards issue', { amount, count: '1' }))).toStartWith('--amount ');
    const credit = run(accountCommands, 'accounts credit', { amount, reason: 'a gift' }, [accountId]);
    expect(await refusalOf(credit)).toStartWith('--amount ');
  });

  test.each(['0.000000001', '100000000', '5', '5.50'])('of %p is taken', async (amount) => {
    expect((await run(cardCommands, 'cards issue', { amount, count: '1' })).facts).toHaveLength(1);
  });
});

test.each(['0', '-1', '1.5', 'many', '', '10001', '1e3', 'NaN'])('a count of %p is refused', async (count) => {
  expect(await refusalOf(run(cardCommands, 'cards issue', { amount: '5', count }))).toStartWith('--count ');
});

test.each(['gift', '', 'SOLD', 'constructor'])('a kind of %p is refused', async (kind) => {
  expect(await refusalOf(run(cardCommands, 'cards issue', { amount: '5', count: '1', kind }))).toStartWith('--kind ');
});

test.each([
  '2020-01-01',
  '2099-02-30',
  '2099-02-29',
  '2099-13-01',
  '2099-00-10',
  'tomorrow',
  '',
  '2099-1-1',
  '2099-01-01T00:00:00Z',
])('an expiry of %p is refused', async (expires) => {
  const issue = run(cardCommands, 'cards issue', { amount: '5', count: '1', kind: 'promo', expires });
  expect(await refusalOf(issue)).toStartWith('--expires ');
});

test('an expiry on a sold card is refused, named or by default', async () => {
  const options = { amount: '5', count: '1', expires: '2099-12-31' };
  expect(await refusalOf(run(cardCommands, 'cards issue', options))).toContain('sold cards never expire');
  expect(await refusalOf(run(cardCommands, 'cards issue', { ...options, kind: 'sold' }))).toContain('never expire');
});

test.each(['', '   '])('a credit for the reason %p is refused', async (reason) => {
  const credit = run(accountCommands, 'accounts credit', { amount: '5', reason }, [accountId]);
  expect(await refusalOf(credit)).toStartWith('--reason ');
});
