// The way in: what `npm start`, `npm test` and the command line do before and around the service. npm itself is a stand-in
// here, so that nothing touches the network; Bun is the real one.
import { afterEach, describe, expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { FreshClone, finished, until } from './bootstrap/fresh-clone.ts';

const SERVICE = {
  // Tells what it receives in a file, because a pipe may be gone with npm; a first SIGTERM or SIGINT drains.
  'src/main.ts': `
    import { appendFileSync } from 'node:fs';
    const say = (text: string) => appendFileSync('said.log', text + '\\n');
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const) {
      process.on(signal, () => {
        say(signal);
        if (signal !== 'SIGTERM' && signal !== 'SIGINT') return;
        setTimeout(() => { say('drained'); process.exit(0); }, 800);
      });
    }
    setInterval(() => {}, 1000);
    say('up ' + process.env.BUN_CONFIG_MAX_HTTP_REQUESTS + ' ' + process.env.BUN_JSC_forceCodeBlockLiveness);
  `,
  'src/cli.ts': `
    const [verb, value] = process.argv.slice(2);
    if (verb === 'exit') process.exit(Number(value));
    if (verb === 'kill') process.kill(process.pid, value as NodeJS.Signals);
    if (verb === 'read') console.log(await Bun.stdin.text());
    if (verb === 'no-proxy') console.log(process.env.NO_PROXY + ' ' + process.env.no_proxy);
    console.log(JSON.stringify(process.argv.slice(2)));
  `,
};

let clones: FreshClone[] = [];
afterEach(() => {
  for (const clone of clones) clone.remove();
  clones = [];
});

function freshClone(files: Record<string, string> = SERVICE): FreshClone {
  const clone = new FreshClone(files);
  clones.push(clone);
  return clone;
}

async function startServing(clone: FreshClone, env: Record<string, string> = {}) {
  const server = clone.start(['serve'], env);
  await until(() => said(clone).length > 0);
  return server;
}

const said = (clone: FreshClone) => clone.lines('said.log');

const commands = (clone: FreshClone) => clone.npmCalls().map(([command]) => command);

describe('installing', () => {
  test('a fresh clone installs production packages, says so on stderr, and keeps stdout for the program', async () => {
    const clone = freshClone();
    const { exitCode, stdout, stderr } = await clone.run(['gateway', 'show', '--json']);
    expect(clone.npmCalls()).toHaveLength(1);
    expect(clone.npmCalls()[0]?.slice(0, 2)).toEqual(['ci', '--omit=dev']);
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 0,
      stdout: '["show","--json"]\n',
      stderr: 'Installing packages…\n',
    });
  });

  test('where everything is installed, npm is not called and nothing is said', async () => {
    const clone = freshClone();
    await clone.run(['gateway']);
    const again = await clone.run(['gateway']);
    expect(clone.npmCalls()).toHaveLength(1);
    expect(again.stderr).toBe('');
  });

  test('development packages are included whatever NODE_ENV says', async () => {
    const clone = freshClone();
    await clone.run(['bun', '--version'], { NODE_ENV: 'production' });
    expect(clone.npmCalls()[0]?.slice(0, 2)).toEqual(['ci', '--include=dev']);
  });

  test('a full install serves', async () => {
    const clone = freshClone();
    await clone.run(['bun', '--version']);
    await clone.run(['gateway']);
    expect(commands(clone)).toEqual(['ci']);
  });

  test('development packages are added to a production install, not put in its place', async () => {
    const clone = freshClone();
    await clone.run(['gateway']);
    const bunFile = () => statSync(join(clone.folder, 'node_modules/bun/bin/bun.exe')).ino;
    const before = { bun: bunFile(), lockfile: clone.read('package-lock.json') };
    await clone.run(['bun', '--version']);
    expect(clone.npmCalls()[1]?.slice(0, 3)).toEqual(['install', '--no-save', '--include=dev']);
    expect({ bun: bunFile(), lockfile: clone.read('package-lock.json') }).toEqual(before);
  });

  test('a changed lockfile installs anew', async () => {
    const clone = freshClone();
    await clone.run(['gateway']);
    const lockfile = JSON.parse(clone.read('package-lock.json'));
    lockfile.packages['node_modules/hono'].version = '999.0.0';
    clone.write('package-lock.json', JSON.stringify(lockfile));
    await clone.run(['gateway']);
    await clone.run(['gateway']);
    expect(commands(clone)).toEqual(['ci', 'ci']);
  });

  test('what a person installed with npm by hand is used as it is', async () => {
    const clone = freshClone();
    const npm = join(import.meta.dir, 'bootstrap', 'npm-cli.js');
    await clone.startCommand(['node', npm, 'ci', '--omit=dev']).exited;
    await clone.run(['gateway']);
    expect(clone.npmCalls()).toHaveLength(1);
  });

  test('without install scripts, the Bun binary is put in place all the same', async () => {
    const clone = freshClone();
    clone.npm = { ignoreScripts: true };
    const { exitCode, stdout } = await clone.run(['gateway', 'show']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '["show"]\n' });
    expect(clone.npmCalls()).toHaveLength(1);
  });

  test('a lost Bun binary is put back', async () => {
    const clone = freshClone();
    await clone.run(['gateway']);
    clone.write('node_modules/bun/bin/bun.exe', 'echo placeholder\nexit 1\n');
    const { exitCode } = await clone.run(['gateway']);
    expect(exitCode).toBe(0);
    expect(clone.npmCalls()).toHaveLength(1);
  });

  test('a failed install shows what npm said, ends with 1, and is not taken for an install later', async () => {
    const clone = freshClone();
    await clone.run(['gateway']);
    clone.write('package-lock.json', clone.read('package-lock.json').replaceAll('"version": "', '"version": "9'));
    clone.npm = { fails: true };
    const { exitCode, stdout, stderr } = await clone.run(['gateway']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain('npm error: the network is down');
    expect(stderr).toEndWith('Installing packages failed; see above.\n');
    expect(clone.has('.install-lock')).toBe(false);
    await clone.run(['gateway']);
    expect(commands(clone)).toEqual(['ci', 'ci', 'ci']);
  });

  test('another package manager in npm_execpath is not mistaken for npm', async () => {
    const clone = freshClone();
    clone.write('bin/npm', '#!/bin/sh\necho "npm from PATH" "$@" > npm-from-path.log\nexit 1\n');
    Bun.spawnSync(['chmod', '+x', join(clone.folder, 'bin/npm')]);
    const env = { npm_execpath: '/opt/pnpm/pnpm.cjs', PATH: `${join(clone.folder, 'bin')}:${Bun.env.PATH}` };
    expect((await clone.run(['gateway'], env)).exitCode).toBe(1);
    expect(clone.read('npm-from-path.log')).toStartWith('npm from PATH ci --omit=dev');
  });
});

describe('installing from several processes at once', () => {
  test('one installs, the others wait and use it', async () => {
    const clone = freshClone();
    clone.npm = { delayMs: 300 };
    const runs = await Promise.all(Array.from({ length: 4 }, () => clone.run(['gateway', 'x'])));
    expect(runs.map(({ exitCode, stdout }) => ({ exitCode, stdout }))).toEqual(
      Array(4).fill({ exitCode: 0, stdout: '["x"]\n' }),
    );
    expect(commands(clone)).toEqual(['ci']);
    expect(clone.has('.install-lock')).toBe(false);
  });

  test('`npm start` and `npm test` together never wipe what the other put there', async () => {
    const clone = freshClone();
    clone.npm = { delayMs: 200 };
    const runs = await Promise.all([clone.run(['gateway']), clone.run(['bun', '--version'])]);
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(commands(clone).slice(1)).not.toContain('ci');
  });

  test('the lock of a dead process is taken over', async () => {
    const clone = freshClone();
    const dead = Bun.spawn(['true']);
    await dead.exited;
    clone.write(`.install-lock/${dead.pid}`, '');
    const { exitCode } = await clone.run(['gateway']);
    expect(exitCode).toBe(0);
    expect(clone.has('.install-lock')).toBe(false);
  });

  test('the lock of a living process is waited for', async () => {
    const clone = freshClone();
    clone.write(`.install-lock/${process.pid}`, '');
    const waiting = clone.start(['gateway']);
    await Bun.sleep(600);
    expect(clone.npmCalls()).toEqual([]);
    waiting.kill('SIGTERM');
    await waiting.exited;
  });
});

describe('handing over to Bun', () => {
  test.each([
    [['exit', '0'], 0],
    [['exit', '7'], 7],
    [['kill', 'SIGKILL'], 137],
    [['kill', 'SIGTERM'], 143],
  ])('passes on the exit code of %p', async (args, exitCode) => {
    expect((await freshClone().run(['gateway', ...args])).exitCode).toBe(exitCode);
  });

  test('allows as many upstream connections as it can and keeps compiled code, unless told otherwise', async () => {
    const [usual, told] = [freshClone(), freshClone()];
    await startServing(usual);
    await startServing(told, { BUN_CONFIG_MAX_HTTP_REQUESTS: '12', BUN_JSC_forceCodeBlockLiveness: '0' });
    expect([said(usual), said(told)]).toEqual([['up 65535 1'], ['up 12 0']]);
  });

  test('leaves calls to this machine out of a proxy, beside what else is left out', async () => {
    const hosts = 'localhost,127.0.0.1,::1';
    const plain = await freshClone().run(['gateway', 'no-proxy'], { HTTP_PROXY: 'http://127.0.0.1:9' });
    expect(plain.stdout).toStartWith(`${hosts} ${hosts}\n`);
    const told = await freshClone().run(['gateway', 'no-proxy'], { no_proxy: 'corp.test' });
    expect(told.stdout).toStartWith(`corp.test,${hosts} corp.test,${hosts}\n`);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s reaches the server once, and its drain is waited for',
    async (signal) => {
      const clone = freshClone();
      const server = await startServing(clone);
      server.kill(signal);
      expect(await server.exited).toBe(0);
      expect(said(clone)).toEqual(['up 65535 1', signal, 'drained']);
    },
  );

  test.each(['SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const)('%s reaches the server once, and it goes on', async (signal) => {
    const clone = freshClone();
    const server = await startServing(clone);
    server.kill(signal);
    await until(() => said(clone).includes(signal));
    await Bun.sleep(100);
    expect(said(clone)).toEqual(['up 65535 1', signal]);
    expect(server.exitCode).toBeNull();
  });

  test('SIGTERM to `npm start` drains the server, and npm waits for it', async () => {
    const clone = freshClone();
    await clone.run(['gateway']);
    const npm = clone.startCommand(['npm', 'start', '--silent'], { npm_execpath: '' });
    await until(() => said(clone).length > 0);
    npm.kill('SIGTERM');
    await npm.exited;
    expect(said(clone)).toEqual(['up 65535 1', 'SIGTERM', 'drained']);
    expect(npm.exitCode).toBe(0);
  });

  test('when npm is killed, the server drains instead of staying behind', async () => {
    const clone = freshClone();
    const shell = clone.startCommand(['sh', '-c', 'node scripts/run.mjs serve; true'], {
      npm_lifecycle_event: 'start',
    });
    await until(() => said(clone).length > 0);
    shell.kill('SIGKILL');
    await until(() => said(clone).includes('drained'));
    expect(said(clone)).toEqual(['up 65535 1', 'SIGTERM', 'drained']);
  });

  test('a server that drains already is left to it when npm goes', async () => {
    const clone = freshClone();
    const shell = clone.startCommand(['sh', '-c', 'node scripts/run.mjs serve & echo $! > pid; wait'], {
      npm_lifecycle_event: 'start',
    });
    await until(() => said(clone).length > 0 && clone.lines('pid').length > 0);
    process.kill(Number(clone.lines('pid')[0]), 'SIGTERM');
    await until(() => said(clone).includes('SIGTERM'));
    shell.kill('SIGKILL');
    await until(() => said(clone).includes('drained'));
    expect(said(clone)).toEqual(['up 65535 1', 'SIGTERM', 'drained']);
  });

  test('SIGTERM while installing stops npm and leaves no lock', async () => {
    const clone = freshClone();
    clone.npm = { delayMs: 60_000 };
    const server = clone.start(['serve']);
    await until(() => clone.npmCalls().length > 0);
    server.kill('SIGTERM');
    const { exitCode, stderr } = await finished(server);
    expect(exitCode).toBe(143);
    expect(stderr).toContain('was interrupted');
    expect(clone.has('.install-lock')).toBe(false);
  });

  test('an unknown mode is told what there is', async () => {
    const { exitCode, stderr } = await freshClone().run(['sevre']);
    expect(exitCode).toBe(2);
    expect(stderr).toBe('Usage: node scripts/run.mjs serve|gateway|build|test|check|bun [args]\n');
  });

  test('an old Node is told so in one line', async () => {
    const clone = freshClone();
    const pretend = "data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'18.20.0'}})";
    const { exitCode, stderr } = await finished(
      clone.startCommand(['node', '--import', pretend, 'scripts/run.mjs', 'serve']),
    );
    expect(exitCode).toBe(1);
    expect(stderr).toBe('Node 20 or newer is needed to start; this is Node 18.20.0.\n');
    expect(clone.npmCalls()).toEqual([]);
  });
});

describe('npm test', () => {
  const bunTest = (body: string) => `import { expect, test } from 'bun:test';\n${body}`;
  const passing = bunTest("test('a', () => {}); test('b', () => {});");
  const lastLine = (stdout: string) => stdout.trimEnd().split('\n').at(-1);

  test('runs types, lint and every test, shows what Bun says, and ends with the totals', async () => {
    const clone = freshClone({ 'test/a.test.ts': passing, 'test/deep/b.test.ts': passing });
    const { exitCode, stdout, stderr } = await clone.run(['test']);
    expect(stdout).toContain('TSC ran\ntypes: ok\n');
    expect(stdout).toContain('BIOME ran\nlint: ok\n');
    expect(stderr).toContain('(pass) a');
    expect(stdout).toEndWith('\n4 passed, 0 failed\n');
    expect(exitCode).toBe(0);
  });

  test('with files, runs only those', async () => {
    const clone = freshClone({ 'test/a.test.ts': passing, 'test/b.test.ts': passing });
    const { exitCode, stdout } = await clone.run(['test', 'test/b.test.ts']);
    expect(stdout).not.toContain('TSC ran');
    expect(lastLine(stdout)).toBe('2 passed, 0 failed');
    expect(exitCode).toBe(0);
  });

  test('with --record, writes the figures of a run of every test, if none failed', async () => {
    const clone = freshClone({ 'test/a.test.ts': passing });
    expect((await clone.run(['test', '--record'])).exitCode).toBe(0);
    expect(JSON.parse(clone.read('docs/figures/suite.json'))).toMatchObject({
      command: 'npm test',
      figures: { 'tests passed': '2', 'tests skipped': '0' },
    });

    const failing = freshClone({ 'test/a.test.ts': bunTest("test('a', () => expect(1).toBe(2));") });
    expect((await failing.run(['test', '--record'])).exitCode).toBe(1);
    expect(failing.has('docs/figures')).toBe(false);

    const part = await failing.run(['test', 'test/a.test.ts', '--record']);
    expect(part).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('can be recorded') });
  });

  test('counts failures, and files that do not even load', async () => {
    const clone = freshClone({
      'test/a.test.ts': passing,
      'test/bad.test.ts': bunTest("test('bad', () => expect(1).toBe(2));"),
      'test/broken.test.ts': "import './not-there.ts';",
    });
    const { exitCode, stdout } = await clone.run(['test']);
    expect(lastLine(stdout)).toBe('2 passed, 2 failed');
    expect(exitCode).toBe(1);
  });

  test('skipped tests are counted, and fail in CI', async () => {
    const clone = freshClone({ 'test/a.test.ts': bunTest("test('a', () => {}); test.skip('b', () => {});") });
    const [here, inCi] = [await clone.run(['test']), await clone.run(['test'], { CI: 'true' })];
    expect(lastLine(here.stdout)).toBe('1 passed, 0 failed, 1 skipped');
    expect(lastLine(inCi.stdout)).toBe('1 passed, 0 failed, 1 skipped');
    expect([here.exitCode, inCi.exitCode]).toEqual([0, 1]);
  });

  test('no test at all is a failure', async () => {
    const clone = freshClone({ 'test/helper.ts': '' });
    const { exitCode, stdout } = await clone.run(['test']);
    expect(stdout).toContain('No test ran.');
    expect(exitCode).toBe(1);
  });

  test.each(['TSC', 'BIOME'])('a failure of %s does not hide the tests, and fails the run', async (tool) => {
    const clone = freshClone({ 'test/a.test.ts': passing });
    const { exitCode, stdout } = await clone.run(['test'], { [`FAKE_${tool}_FAILS`]: '1' });
    expect(stdout).toEndWith('Types or lint failed; see above.\n2 passed, 0 failed\n');
    expect(exitCode).toBe(1);
  });

  test('neither the shell nor a .env file alters a test', async () => {
    const names = [
      ...['HTTP_PROXY', 'https_proxy', 'OPENAI_API_KEY', 'DATABASE_URL', 'PORT', 'ADMIN_TOKEN'],
      ...['TZ', 'LANG', 'LC_ALL', 'LC_TIME', 'PGDATABASE', 'POSTGRES_URL', 'ANTHROPIC_AUTH_TOKEN', 'LANGSMITH_TRACING'],
    ];
    const clone = freshClone({
      '.env': 'GEMINI_API_KEY=from-a-file\n',
      'test/a.test.ts': bunTest(`
        test.each(${JSON.stringify([...names, 'GEMINI_API_KEY'])})('%s is not here', (name) => {
          expect(process.env[name] === 'from-the-shell' || process.env[name] === 'from-a-file').toBe(false);
        });
        test('what the person needs is', () => expect(process.env.KEPT).toBe('kept'));
        test('it is a test', () => expect(process.env.NODE_ENV).toBe('test'));
      `),
    });
    const shell = Object.fromEntries(names.map((name) => [name, 'from-the-shell']));
    const { stdout, stderr } = await clone.run(['test'], { ...shell, NODE_ENV: 'production', KEPT: 'kept' });
    expect(stderr).not.toContain('(fail)');
    expect(lastLine(stdout)).toBe('17 passed, 0 failed');
  });
});

describe('npm run check', () => {
  const tidy = { 'test/tidy.test.ts': "import { test } from 'bun:test'; test('tidy', () => {});" };

  test('runs every step and reports each', async () => {
    const { exitCode, stdout } = await freshClone(tidy).run(['check']);
    expect(stdout.match(/^\w+: \w+$/gm)).toEqual(['types: ok', 'lint: ok', 'tidy: ok']);
    expect(exitCode).toBe(0);
  });

  test('goes on after a failure, and fails', async () => {
    const { exitCode, stdout } = await freshClone(tidy).run(['check'], { FAKE_TSC_FAILS: '1' });
    expect(stdout.match(/^\w+: \w+$/gm)).toEqual(['types: FAILED', 'lint: ok', 'tidy: ok']);
    expect(exitCode).toBe(1);
  });
});
