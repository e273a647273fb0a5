// accounts show and credit, keys create and revoke: on the database of a server that runs, which notices.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Answer } from '../../support/answer.ts';
import { eventually } from '../../support/eventually.ts';
import { createWorkplace, type RunningServer } from '../../support/start-process.ts';
import { writeSql } from '../../support/write-sql.ts';

const place = createWorkplace();
let server: RunningServer;
let account: Answer;

beforeAll(async () => {
  server = await place.serve();
  account = await (await call('POST', '/api/agent/register')).json();
});
afterAll(() => place.remove());

const call = (method: string, path: string, key?: string, body?: unknown) =>
  fetch(server.url + path, {
    method,
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const balance = async () =>
  BigInt(((await (await call('GET', '/api/me', account.api_key)).json()) as Answer).balance_nano);
const statusOf = async (key: string) => (await call('GET', '/api/me', key)).status;
async function json(...args: string[]): Promise<Answer> {
  const { exitCode, stdout, stderr } = await place.gateway([...args, '--json']);
  if (exitCode !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}
const show = () => json('accounts', 'show', account.account_id);
const credit = (...args: string[]) => place.gateway(['accounts', 'credit', ...args]);

describe('accounts show', () => {
  test('tells balance, keys and entries', async () => {
    expect(await show()).toEqual({
      account_id: account.account_id,
      balance_ntd: 1,
      balance_nano: '1000000000',
      held_ntd: 0,
      held_nano: '0',
      available_ntd: 1,
      available_nano: '1000000000',
      frozen: false,
      keys: [expect.objectContaining({ id: account.key_id, manage: true, revoked: false })],
      open_holds: [],
      entries: [expect.objectContaining({ kind: 'trial', amount_nano: '1000000000', note: null })],
    });
    const { stdout } = await place.gateway(['accounts', 'show', account.account_id]);
    expect(stdout).toMatch(/^balance +NT\$1$/m);
    expect(stdout).not.toContain(account.api_key);
  });
});

test('accounts show: a key whose time is over is expired, a revoked one revoked', async () => {
  const other: Answer = await (await call('POST', '/api/agent/register')).json();
  const makeKey = async (fields: Answer): Promise<Answer> =>
    (await call('POST', '/api/keys', other.api_key, fields)).json();
  const short = await makeKey({ name: 'short', expires_at: '2099-12-31T23:59:59Z' });
  const ended = await makeKey({ name: 'ended' });
  await call('DELETE', `/api/keys/${ended.id}`, other.api_key);
  writeSql(`${place.dataDir}/gateway.sqlite`, 'UPDATE keys SET expires_at = 1 WHERE key_id = ?', short.id);
  const { keys } = await json('accounts', 'show', other.account_id);
  expect(keys.map(({ name, state }: Answer) => [name, state])).toEqual([
    [null, 'live'],
    ['short', 'expired'],
    ['ended', 'revoked'],
  ]);
  const { stdout } = await place.gateway(['accounts', 'show', other.account_id]);
  expect(stdout).toMatch(new RegExp(`^${short.id} .* expired +0$`, 'm'));
});

test('accounts show: a child with its parent, its depth and its limits', async () => {
  const fields = { name: 'top', delegate: true, budgets: { month_ntd: 2 } };
  const top: Answer = await (await call('POST', '/api/keys', account.api_key, fields)).json();
  const limits = { budgets: { day_ntd: 0.5 }, rates: { in_flight: 3 } };
  const child: Answer = await (await call('POST', '/api/keys', top.api_key, limits)).json();
  const { stdout } = await place.gateway(['accounts', 'show', account.account_id]);
  expect(stdout).toMatch(new RegExp(`^${top.id}  top .* no +yes +live +0 +month NT\\$2$`, 'm'));
  expect(stdout).toMatch(new RegExp(`^${child.id} .* no +no +live +1 +${top.id}  day NT\\$0\\.5, in_flight 3$`, 'm'));
  const { keys } = await json('accounts', 'show', account.account_id);
  expect(keys.find(({ id }: Answer) => id === child.id)).toMatchObject({
    parent_id: top.id,
    depth: 1,
    budgets: { day_ntd: 0.5 },
    rates: { in_flight: 3 },
  });
  await call('DELETE', `/api/keys/${top.id}`, account.api_key);
});

describe('accounts credit', () => {
  test('adds balance at once, and the reason stays in the ledger', async () => {
    const reason = '退款:工單 1234, "double charge"';
    const { exitCode, stdout } = await credit(account.account_id, '--amount', '12.5', '--reason', reason);
    expect(exitCode).toBe(0);
    expect(stdout).toBe('credited NT$12.5; the balance is NT$13.5\n');
    expect(await (await call('GET', '/api/me', account.api_key)).json()).toMatchObject({ balance_nano: '13500000000' });
    const { entries } = await show();
    expect(entries[0]).toMatchObject({ kind: 'credit', amount_nano: '12500000000', note: reason });
    expect((await place.gateway(['ledger', 'audit'])).exitCode).toBe(0);
  });

  test('twice is two credits: nobody said that the second was a mistake', async () => {
    const before = await balance();
    for (let i = 0; i < 2; i++) await credit(account.account_id, '--amount', '1', '--reason', 'a gift');
    expect(await balance()).toBe(before + 2_000_000_000n);
  });

  test.each([
    ['a negative amount', ['--amount=-1', '--reason', 'x'], 1],
    ['1e400', ['--amount', '1e400', '--reason', 'x'], 1],
    ['an empty reason', ['--amount', '1', '--reason', ''], 1],
    ['no reason', ['--amount', '1'], 2],
    ['no amount', ['--reason', 'x'], 2],
  ])('with %s is refused and moves nothing', async (_, args, code) => {
    const before = await balance();
    const { exitCode, stdout } = await credit(account.account_id, ...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' });
    expect(await balance()).toBe(before);
  });
});

describe('keys', () => {
  test('create gives a managing key for who lost theirs; the running server takes it at once', async () => {
    const made = await json('keys', 'create', '--account', account.account_id, '--name', 'lost and found');
    expect(made).toMatchObject({ manage: true, name: 'lost and found', models: null });
    expect(made.api_key).toMatch(/^sk-svc-[0-9A-Za-z]{49}$/);
    expect(await (await call('GET', '/api/me', made.api_key)).json()).toMatchObject({ account_id: account.account_id });
    expect((await call('GET', '/api/keys', made.api_key)).status).toBe(200);
    const { stdout } = await place.gateway(['accounts', 'show', account.account_id]);
    expect(stdout).toContain(made.id);
    expect(stdout).not.toContain(made.api_key);
  });

  test('create prints the key alone, for a pipe', async () => {
    const { stdout } = await place.gateway(['keys', 'create', '--account', account.account_id]);
    expect(stdout).toMatch(/^sk-svc-[0-9A-Za-z]{49}\n$/);
  });

  test('create says which key nobody has if it cannot be printed', async () => {
    const words = ['keys', 'create', '--account', account.account_id];
    const { exitCode, stderr } = await place.gatewayInto('/dev/full', words);
    expect(exitCode).toBe(1);
    const [, id = ''] =
      /^the command succeeded, but stdout cannot be written: [^\n]+ (key_\w+) was not shown, revoke it\n$/.exec(
        stderr,
      ) ?? [];
    expect((await place.gateway(['keys', 'revoke', id])).exitCode).toBe(0);
  });

  test('revoke stops a key on the running server', async () => {
    const made: Answer = await (await call('POST', '/api/keys', account.api_key, {})).json();
    // In use all the while, so that the server has it in memory.
    const using = eventually('the key is refused', async () => (await statusOf(made.api_key)) === 401);
    expect(await statusOf(made.api_key)).toBe(200);
    const { exitCode, stdout } = await place.gateway(['keys', 'revoke', made.id]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: `${made.id} is revoked\n` });
    await using;
    const again = await place.gateway(['keys', 'revoke', made.id]);
    expect(again.exitCode).toBe(1);
    expect(again.stderr).toContain('already revoked');
  });

  test('revoke takes even the last managing key: the operator is not locked out', async () => {
    const lone: Answer = await (await call('POST', '/api/agent/register')).json();
    expect((await place.gateway(['keys', 'revoke', lone.key_id])).exitCode).toBe(0);
    await eventually('the key is refused', async () => (await statusOf(lone.api_key)) === 401);
  });
});

test.each([
  [['accounts', 'show', 'acc_unknown'], 'there is no account acc_unknown'],
  [['accounts', 'credit', 'acc_unknown', '--amount', '5', '--reason', 'x'], 'there is no account acc_unknown'],
  [['keys', 'create', '--account', 'acc_unknown'], 'there is no account acc_unknown'],
  [['keys', 'revoke', 'key_unknown'], 'there is no key key_unknown'],
])('%j is exit 1', async (args, message) => {
  expect(await place.gateway(args)).toEqual({ exitCode: 1, stdout: '', stderr: `${message}\n` });
});

test.each([[['accounts']], [['accounts', 'show', 'a', 'b']], [['keys', 'create']], [['keys', 'revoke']]])(
  '%j is wrong usage: exit 2',
  async (args) => {
    const { exitCode, stdout } = await place.gateway(args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  },
);
