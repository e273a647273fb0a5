// What is no command: exit 2, one line of fault and one of usage on stderr, nothing on stdout.
import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { createWorkplace } from '../../support/start-process.ts';

const place = createWorkplace();
afterAll(() => place.remove());

describe('wrong usage', () => {
  test.each([
    [[]],
    [['no-such-command']],
    [['config']],
    [['config', 'no-such-verb']],
    [['constructor']],
    [['config', 'check', 'a.yaml', 'b.yaml']],
    [['config', 'apply']],
    [['backup']],
    [['restore', 'a.sqlite', 'b.sqlite']],
    [['move']],
    [['move', '--to', 'postgres://nobody@127.0.0.1:9/nowhere', 'extra']],
    [['move', '--to', 'mysql://127.0.0.1/x']],
    [['move', '--to', '127.0.0.1:5432']],
    [['move', '--to', 'env:NOT_SET_ANYWHERE']],
    [['move', 'undo', 'extra']],
    [['--json']],
  ])('%j', async (args) => {
    const { exitCode, stdout, stderr } = await place.gateway(args);
    expect(exitCode).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('usage:');
  });

  test.each([[['serve', '--json']], [['serve', '--port', '9000']]])('%j starts no server', async (args) => {
    const { exitCode, stdout, stderr } = await place.gateway(args);
    expect(exitCode).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('serve takes no options');
  });

  test.each([
    [['config', 'check'], 'exactly one FILE is needed', 'config check FILE [--json]'],
    [
      ['config', 'check', 'a.yaml', '--no-such-option'],
      'unknown option: --no-such-option',
      'config check FILE [--json]',
    ],
    [['config', 'check', 'a.yaml', '--no-such=1'], 'unknown option: --no-such', 'config check FILE [--json]'],
    [['keys', 'revoke', '-x'], 'unknown option: -x', 'keys revoke ID [--json]'],
    [['keys', 'create', '--account'], '--account needs a value', 'keys create --account ID [--name TEXT] [--json]'],
    [
      ['keys', 'create', '--account', '--name', 'x'],
      '--account needs a value',
      'keys create --account ID [--name TEXT] [--json]',
    ],
    ...['-h', '--help'].map((word): [string[], string, string] => [
      ['keys', 'create', '--account', 'acc_1', '--name', word],
      '--name needs a value',
      'keys create --account ID [--name TEXT] [--json]',
    ]),
    [['keys', 'create'], '--account is needed', 'keys create --account ID [--name TEXT] [--json]'],
    [['config', 'export', 'extra'], 'unexpected: extra', 'config export [--json]'],
  ])('%j: the fault, and the usage of that one command', async (args, fault, usage) => {
    const stderr = `${fault}\nusage: npm run -s gateway -- ${usage}\n`;
    expect(await place.gateway(args)).toEqual({ exitCode: 2, stdout: '', stderr });
  });

  test('an unknown command of a group, or the group alone: its commands', async () => {
    for (const args of [['cards', 'isue'], ['cards']]) {
      const { exitCode, stderr } = await place.gateway(args);
      expect(exitCode).toBe(2);
      expect(stderr).toStartWith(`unknown command: ${args.join(' ')}\nusage: npm run -s gateway -- COMMAND [--json]\n`);
      expect(commandsIn(stderr)).toEqual(['cards issue', 'cards list', 'cards void']);
    }
  });

  test('an option twice: which of the two is meant, nobody knows', async () => {
    const { exitCode, stderr } = await place.gateway(['cards', 'issue', '--amount', '1', '--count', '1', '--amount=2']);
    expect([exitCode, stderr.split('\n')[0]]).toEqual([2, '--amount is given twice']);
  });

  test('an unknown command: where to find the others', async () => {
    const { stderr } = await place.gateway(['confgi', 'check']);
    expect(stderr).toBe(
      'unknown command: confgi check\nusage: npm run -s gateway -- COMMAND [--json]; "npm run -s gateway -- help" lists the commands\n',
    );
  });
});

test.each([[['help']], [['--help']]])('%j is asked for: exit 0, on stdout', async (args) => {
  const { exitCode, stdout, stderr } = await place.gateway(args);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('usage:');
  for (const command of ['serve', 'config check', 'config apply', 'config export']) expect(stdout).toContain(command);
  expect(stderr).toBe('');
});

const commandsIn = (text: string) => [...text.matchAll(/^ {2}([a-z]+(?: [a-z]+)?)/gm)].map(([, words]) => words);

test.each([
  [
    ['cards', '--help'],
    ['cards issue', 'cards list', 'cards void'],
  ],
  [
    ['help', 'cards'],
    ['cards issue', 'cards list', 'cards void'],
  ],
  [['cards', 'issue', '--help'], ['cards issue']],
  [['cards', 'issue', '--amount', '5', '-h', '--json'], ['cards issue']],
  [['help', 'config', 'apply'], ['config apply']],
  [['backup', '--help'], ['backup']],
  [['serve', '--help'], ['serve']],
  [['serve', '-h'], ['serve']],
])('%j: help on that, and nothing is done', async (args, commands) => {
  const { exitCode, stdout, stderr } = await place.gateway(args);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(commandsIn(stdout)).toEqual(commands);
});

test('health says where it asked', async () => {
  const { exitCode, stderr } = await place.gateway(['health'], { PORT: '9' });
  expect([exitCode, stderr]).toEqual([
    1,
    'no server answers on http://127.0.0.1:9: it is not running, or HOST and PORT differ from its settings\n',
  ]);
});

describe('where there is no database', () => {
  test.each([
    [['config', 'export']],
    [['cards', 'issue', '--amount', '5', '--count', '1']],
    [['keys', 'create', '--account', 'acc_1']],
    [['incidents', 'add', '--title-en', 'a', '--title-zh', 'b']],
    [['ledger', 'audit']],
    [['backup', place.path('copy.sqlite')]],
    [['move', '--to', 'postgres://nobody@127.0.0.1:9/nowhere']],
    [['move', 'undo']],
  ])('%j is refused, and makes none', async (args) => {
    expect(await place.gateway(args)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `there is no database at ${place.dataDir}/gateway.sqlite: set DATA_DIR to the folder of the server's database, or DATABASE_URL to its PostgreSQL\n`,
    });
  });
});

test('none of this made a data folder', () => {
  expect(existsSync(place.dataDir)).toBe(false);
});
