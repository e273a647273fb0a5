// cards issue, list, void: codes are shown once, and a batch is issued whole or not at all.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCardCode } from '../../../src/accounts/card-code.ts';
import type { Answer } from '../../support/answer.ts';
import { createWorkplace, type Ended, type RunningServer } from '../../support/start-process.ts';

const place = createWorkplace();
let server: RunningServer;
let key: string;
beforeAll(async () => {
  server = await place.serve();
  key = ((await (await call('/api/agent/register', {})).json()) as Answer).api_key;
});
afterAll(() => place.remove());

const issue = (...args: string[]) => place.gateway(['cards', 'issue', ...args]);
const list = async (...args: string[]): Promise<Answer[]> =>
  JSON.parse((await place.gateway(['cards', 'list', '--json', ...args])).stdout);
const rowsOf = ({ stdout }: Ended): Answer[] => JSON.parse(stdout);
async function call(path: string, body: unknown) {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
}
const redeem = (code: unknown) => call('/api/redeem', { code });

describe('issue', () => {
  test('prints serial, code and amount of each card as JSON, and the running server takes them at once', async () => {
    const issued = await issue('--amount', '100.5', '--count', '3', '--json');
    expect(issued).toMatchObject({ exitCode: 0, stderr: '' });
    const rows = rowsOf(issued);
    expect(rows).toHaveLength(3);
    for (const row of rows) {
      expect(row).toEqual({ serial: row.serial, code: row.code, amount_ntd: 100.5, amount_nano: '100500000000' });
      expect(row.serial).toMatch(/^SN[0-9A-Z]{12}$/);
      expect(readCardCode(row.code)).toBe(row.code);
    }
    const redeemed = await redeem(rows[0].code);
    expect(redeemed.status).toBe(200);
    expect(await redeemed.json()).toMatchObject({ card_serial: rows[0].serial, amount_ntd: 100.5, balance_ntd: 101.5 });
    const [shown] = (await list('--state', 'redeemed')).filter(({ serial }) => serial === rows[0].serial);
    expect(shown).toMatchObject({ state: 'redeemed', redeemed_by: expect.stringMatching(/^acc_/) });
  });

  test('prints a table for people', async () => {
    const { exitCode, stdout, stderr } = await issue('--amount', '0.000000001', '--count', '1');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: `issued in the database at ${place.dataDir}\n` });
    expect(stdout).toMatch(/^serial +code +NT\$\n-+ +-+ +-+\nSN\w+ +PC(-\w{4}){7} +0\.000000001\n$/);
  });

  test('never shows a code again, and stores none in clear', async () => {
    const [row] = rowsOf(await issue('--amount', '5', '--count', '1', '--json'));
    const listed = await place.gateway(['cards', 'list']);
    expect(listed.stdout).toContain(row.serial);
    // In this order: what is moved from the one to the other meanwhile is seen in one of them.
    const stored = ['gateway.sqlite-wal', 'gateway.sqlite']
      .map((name) => `${place.dataDir}/${name}`)
      .filter(existsSync)
      .map((file) => readFileSync(file, 'latin1'))
      .join('');
    expect(stored).toContain(row.serial);
    for (const text of [listed.stdout, JSON.stringify(await list()), stored]) {
      expect(text).not.toContain(row.code);
      expect(text).not.toContain(row.code.slice(3).replaceAll('-', ''));
    }
  });

  test('writes a CSV for spreadsheets, for this user alone, and says so without the codes', async () => {
    const file = place.path('cards.csv');
    const { exitCode, stdout } = await issue('--amount', '50', '--count', '2', '--csv', file);
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain('PC-');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const bytes = readFileSync(file);
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const lines = bytes.subarray(3).toString().split('\r\n');
    expect(lines[0]).toBe('serial,code,amount_ntd');
    expect(lines).toHaveLength(4);
    const [serial, code, amount] = (lines[1] ?? '').split(',');
    expect(amount).toBe('50');
    expect(await (await redeem(code)).json()).toMatchObject({ card_serial: serial });
  });

  test('overwrites no file, and then issues no card', async () => {
    const file = place.path('kept.csv');
    writeFileSync(file, 'what was there');
    const before = (await list()).length;
    const refused = await issue('--amount', '50', '--count', '2', '--csv', file);
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain('exists already');
    expect(readFileSync(file, 'utf8')).toBe('what was there');
    const nowhere = await issue('--amount', '50', '--count', '2', '--csv', place.path('no/such/folder.csv'));
    expect(nowhere.exitCode).toBe(1);
    expect(await list()).toHaveLength(before);
  });

  test('leaves no file that the disk had room for only in part, and then issues no card', async () => {
    const file = place.path('cut.csv');
    const before = (await list()).length;
    // A file that must not grow is a disk without room; the signal would kill, the error does not.
    const words = ['cards', 'issue', '--amount', '1', '--count', '10000', '--csv', file];
    const small = `trap '' XFSZ; ulimit -f 200; exec "$0" --no-env-file "$@"`;
    const child = Bun.spawn(
      ['bash', '-c', small, process.execPath, join(import.meta.dir, '..', '..', '..', 'src', 'cli.ts'), ...words],
      { env: { PATH: process.env.PATH ?? '', DATA_DIR: place.dataDir }, stdout: 'pipe', stderr: 'pipe' },
    );
    expect(await new Response(child.stderr).text()).toBe(`cannot write ${file}\n`);
    expect(await child.exited).toBe(1);
    expect(existsSync(file)).toBe(false);
    expect(await list()).toHaveLength(before);
  });

  test.each(['/dev/full', '/dev/null'])('says which codes nobody has if stdout is %s', async (nowhere) => {
    const { exitCode, stderr } = await place.gatewayInto(nowhere, ['cards', 'issue', '--amount', '7', '--count', '2']);
    expect(exitCode).toBe(1);
    const [, batch = ''] =
      /^the command succeeded, but stdout [^\n]+ batch (batch_\w+), void [^\n]+\n$/.exec(stderr) ?? [];
    expect(await list('--batch', batch)).toMatchObject([{ amount_ntd: 7 }, { amount_ntd: 7 }]);
    const json = await place.gatewayInto(nowhere, ['cards', 'issue', '--amount', '7', '--count', '1', '--json']);
    expect(json.exitCode).toBe(1);
    expect(await list('--batch', JSON.parse(json.stderr).batch_id)).toHaveLength(1);
  });

  test('keeps a promo card until the end of its day in Taipei', async () => {
    const rows = rowsOf(
      await issue('--amount', '5', '--count', '1', '--kind', 'promo', '--expires', '2099-12-31', '--json'),
    );
    const [card] = (await list()).filter(({ serial }) => serial === rows[0]?.serial);
    expect(card).toMatchObject({ kind: 'promo', state: 'issued', expires_at: '2099-12-31T16:00:00.000Z' });
  });
});

test.each([
  ['an amount of 0', ['--amount', '0', '--count', '1']],
  ['a negative amount', ['--amount=-5', '--count', '1']],
  ['1e400', ['--amount', '1e400', '--count', '1']],
  ['an expiry on a sold card', ['--amount', '5', '--count', '1', '--expires', '2099-12-31']],
])('issue refuses %s: exit 1 and one line', async (_, args) => {
  const { exitCode, stdout, stderr } = await issue(...args);
  expect(exitCode).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^--(amount|expires) [^\n]+\n$/);
});

describe('void', () => {
  test('makes cards worthless that are not redeemed', async () => {
    const rows = rowsOf(await issue('--amount', '5', '--count', '2', '--json'));
    const serials = rows.map(({ serial }) => serial);
    const voided = await place.gateway(['cards', 'void', ...serials, '--json']);
    expect(voided.exitCode).toBe(0);
    expect(JSON.parse(voided.stdout)).toEqual(serials.map((serial) => ({ serial, state: 'voided' })));
    const response = await redeem(rows[0].code);
    expect(response.status).toBe(404);
    expect((await list('--state', 'voided')).map(({ serial }) => serial)).toEqual(expect.arrayContaining(serials));
    expect((await place.gateway(['cards', 'void', serials[0] ?? ''])).exitCode).toBe(0);
  });

  test('refuses a redeemed and an unknown card, names them, and voids the others', async () => {
    const rows = rowsOf(await issue('--amount', '5', '--count', '2', '--json'));
    const [used, fresh] = rows.map(({ serial }) => serial as string);
    await redeem(rows[0].code);
    const { exitCode, stdout, stderr } = await place.gateway(['cards', 'void', used ?? '', 'SNUNKNOWN', fresh ?? '']);
    expect(exitCode).toBe(1);
    // It cannot be undone: nobody may take it for refused as a whole.
    expect(stdout).toBe('1 voided\n');
    expect(stderr).toBe(`${used} was not voided: redeemed\nSNUNKNOWN was not voided: unknown\n`);
    const states = Object.fromEntries((await list()).map(({ serial, state }) => [serial, state]));
    expect([states[used ?? ''], states[fresh ?? '']]).toEqual(['redeemed', 'voided']);
    const again = await place.gateway(['cards', 'void', 'SNUNKNOWN', fresh ?? '', '--json']);
    expect({ exitCode: again.exitCode, stdout: again.stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(JSON.parse(again.stderr).results).toEqual([
      { serial: 'SNUNKNOWN', state: 'unknown' },
      { serial: fresh, state: 'voided' },
    ]);
  });
});

test.each([
  [['cards']],
  [['cards', 'issue']],
  [['cards', 'issue', '--amount', '5']],
  [['cards', 'issue', '--amount', '5', '--count', '1', '--colour', 'red']],
  [['cards', 'issue', '--amount', '--count', '1']],
  [['cards', 'void']],
])('%j is wrong usage: exit 2', async (args) => {
  const { exitCode, stdout, stderr } = await place.gateway(args);
  expect(exitCode).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toContain('usage:');
});

test('list tells every card, however many there are, each once', async () => {
  const before = await list();
  for (const count of ['10000', '1']) {
    const file = place.path(`${count}.csv`);
    expect((await issue('--amount', '1', '--count', count, '--csv', file)).exitCode).toBe(0);
  }
  const serials = (await list()).map(({ serial }) => serial);
  expect(serials).toHaveLength(before.length + 10_001);
  expect(new Set(serials).size).toBe(serials.length);
  expect((await list('--state', 'redeemed')).length).toBeLessThan(before.length);
});
