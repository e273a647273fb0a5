// Guards what would rot unseen. Each guard must find nothing in the project, and must find its bad examples.
import { describe, expect, test } from 'bun:test';
import { findLongFiles, findStraySql, findTypeEscapes } from './tidy/language.ts';
import { findCycles, findUnknownRooms, findUpwardImports } from './tidy/layers.ts';
import {
  findIdleTests,
  findLockedHosts,
  findLockfileHoles,
  findLoosePins,
  findMachineTraces,
  findNewDependencies,
} from './tidy/project.ts';
import { readLockfile, readManifest, readProject } from './tidy/read.ts';
import { parse, type Source } from './tidy/source.ts';
import {
  type ClockException,
  findClockUses,
  findMisplacedModules,
  findMisplacedUses,
  findUndeclaredPackages,
} from './tidy/uses.ts';

const CLOCK_EXCEPTIONS: ClockException[] = [
  {
    path: 'src/kit/clock.ts',
    uses: ['Date.now', 'performance.now', 'setTimeout'],
    reason: 'the system clock itself, which everything else is given',
  },
  {
    path: 'src/kit/random.ts',
    uses: ['crypto.getRandomValues', 'Math.random'],
    reason: 'the system randomness itself, which everything else is given',
  },
  {
    path: 'src/store/batcher.ts',
    uses: ['setImmediate'],
    reason: 'gathers what one turn of the event loop brings; no time passes, so no clock is needed',
  },
];

const project = readProject();
const inFolder = (folder: string) => new Map([...project].filter(([path]) => path.startsWith(folder)));
const src = await parse(inFolder('src/'));
const tests = await parse(inFolder('test/'));
const manifest = readManifest();

type Guard = (sources: Source[]) => string[];

/** One bad file per problem: `{ 'src/a.ts': 'code' }` must give exactly one finding, at that file. */
function findsEach(guard: Guard, examples: [path: string, code: string][]) {
  test.each(examples)('finds %s: %s', async (path, code) => {
    const found = guard(await parse(new Map([[path, code]])));
    expect(found).toHaveLength(1);
    expect(found[0]).toStartWith(path);
  });
}

function accepts(guard: Guard, examples: [path: string, code: string][]) {
  test.each(examples)('accepts %s: %s', async (path, code) => {
    expect(guard(await parse(new Map([[path, code]])))).toEqual([]);
  });
}

function cleanInProject(find: () => string[]) {
  test('the project is clean', () => expect(find()).toEqual([]));
}

describe('every room has a layer', () => {
  cleanInProject(() => findUnknownRooms(src));
  test('finds a new room', async () => {
    expect(findUnknownRooms(await parse(new Map([['src/utils/a.ts', '']])))).toEqual([
      'src/utils/ is missing in the layers of test/tidy/layers.ts',
    ]);
  });
});

describe('imports point down', () => {
  cleanInProject(() => findUpwardImports(src));
  findsEach(findUpwardImports, [
    ['src/store/a.ts', "import { b } from '../ledger/b.ts';"],
    ['src/kit/a.ts', "import type { B } from '../http/b.ts';"],
    ['src/kit/a.ts', "export { b } from '../store/b.ts';"],
    ['src/kit/a.ts', "type B = import('../store/b.ts').B;"],
    ['src/kit/a.ts', "const b = await import('../store/b.ts');"],
    ['src/kit/a.ts', "new Worker(new URL('../store/b.ts', import.meta.url));"],
    ['src/ledger/a.ts', "import { b } from '../limits/b.ts';"],
    ['src/faults/a.ts', "import { b } from '../kit/b.ts';"],
    ['src/admin/a.ts', "import { main } from '../main.ts';"],
    ['src/kit/a.ts', "import { b } from '../../test/b.ts';"],
  ]);
  accepts(findUpwardImports, [
    ['src/main.ts', "import { config } from './config.ts';"],
    ['src/relay/a.ts', "import { b } from '../ledger/b.ts'; import './c.ts'; import { z } from 'zod';"],
    ['src/kit/a.ts', "// import { b } from '../store/b.ts'\nconst text = \"import '../store/b.ts'\";"],
  ]);
});

describe('no file imports itself in a circle', () => {
  cleanInProject(() => findCycles(src));
  test('finds a circle of three, by any spelling', async () => {
    const circle = await parse(
      new Map([
        ['src/kit/a.ts', "import './b.ts';"],
        ['src/kit/b.ts', "import type { C } from './c';"],
        ['src/kit/c/index.ts', "export * from '../a.ts';"],
      ]),
    );
    expect(findCycles(circle)).toEqual(['src/kit/a.ts → src/kit/b.ts → src/kit/c/index.ts → src/kit/a.ts']);
  });
});

describe('tools stay in their rooms', () => {
  cleanInProject(() => findMisplacedUses(src));
  findsEach(findMisplacedUses, [
    ['src/cli.ts', "console.log('hi');"],
    ['src/kit/a.ts', 'globalThis.console.error(1);'],
    ['src/main.ts', 'const port = process.env.PORT;'],
    ['src/main.ts', "const port = process['env'].PORT;"],
    ['src/main.ts', 'const { env } = process;'],
    ['src/main.ts', "import { env } from 'node:process'; read(env);"],
    ['src/main.ts', "import * as proc from 'node:process'; read(proc.env);"],
    ['src/http/a.ts', 'read(Bun.env);'],
    ['src/http/a.ts', 'read(import.meta.env.PORT);'],
    ['src/http/a.ts', "import { SQL } from 'bun'; new SQL(url);"],
    ['src/http/a.ts', 'await Bun.sql`x`;'],
    ['src/relay/a.ts', 'await fetch(url);'],
    ['src/relay/a.ts', 'send({ fetch });'],
    ['src/admin/a.ts', 'const send = (request = globalThis.fetch) => request;'],
    ['src/main.ts', 'await fetch(url);'],
  ]);
  accepts(findMisplacedUses, [
    ['src/server/settings/settings.ts', 'const port = process.env.PORT ?? Bun.env.PORT;'],
    ['src/main.ts', 'start({ fetch: globalThis.fetch });'],
    ['src/channels/a.ts', 'await fetch(url);'],
    ['src/admin/a.ts', 'const send = ({ fetch }: { fetch: typeof globalThis.fetch }) => fetch(url);'],
    ['src/admin/a.ts', 'export const send = (fetch: Fetch) => { if (fetch) return () => fetch(url); };'],
    ['src/http/a.ts', 'app.fetch(request); const routes = { fetch: handle, console: 1 };'],
    [
      'src/http/a.ts',
      "// console.log\nconst text = 'process.env' + `fetch(url) console.log`; const re = /console.log/;",
    ],
    ['src/site/a.tsx', "const page = <p title='fetch(url)'>Don't call fetch(url) or read process.env</p>;"],
  ]);
});

describe('packages stay in their rooms', () => {
  cleanInProject(() => findMisplacedModules(src));
  findsEach(findMisplacedModules, [
    ['src/relay/a.ts', "import type { Context } from 'hono';"],
    ['src/main.ts', "import { serveStatic } from 'hono/bun';"],
    ['src/kit/page.tsx', 'export const page = <p />;'],
    ['src/ledger/a.ts', "import { Database } from 'bun:sqlite';"],
    ['src/admin/a.ts', "import { request } from 'node:https';"],
  ]);
  accepts(findMisplacedModules, [
    ['src/site/page.tsx', "import { Hono } from 'hono'; export const page = <p />;"],
    ['src/store/sqlite/a.ts', "import { Database } from 'bun:sqlite';"],
  ]);
});

describe('the service imports only what `npm start` installs', () => {
  const guard = (sources: Source[]) => findUndeclaredPackages(sources, Object.keys(manifest.dependencies));
  cleanInProject(() => guard(src));
  findsEach(guard, [
    ['src/kit/a.ts', "import fc from 'fast-check';"],
    ['src/kit/a.ts', "import { x } from 'zodiac';"],
  ]);
  accepts(guard, [['src/kit/a.ts', "import 'node:fs'; import 'bun:sqlite'; import 'hono/jsx'; import 'zod';"]]);
});

describe('time and randomness are passed in', () => {
  cleanInProject(() => findClockUses(src, CLOCK_EXCEPTIONS));
  const withoutExceptions = (sources: Source[]) => findClockUses(sources, []);
  findsEach(withoutExceptions, [
    ['src/ledger/a.ts', 'const now = Date.now();'],
    ['src/ledger/a.ts', 'const read = (now = Date.now) => now();'],
    ['src/ledger/a.ts', 'const now = new Date();'],
    ['src/ledger/a.ts', 'const now = new globalThis.Date;'],
    ['src/ledger/a.ts', 'const now = Date();'],
    ['src/ledger/a.ts', 'const { now } = Date;'],
    ['src/relay/a.ts', 'performance.now();'],
    ['src/relay/a.ts', "import { performance } from 'node:perf_hooks'; performance.now();"],
    ['src/relay/a.ts', 'setTimeout(retry, 10);'],
    ['src/relay/a.ts', 'globalThis.setInterval(retry, 10);'],
    ['src/relay/a.ts', "import { setTimeout as sleep } from 'node:timers/promises'; await sleep(10);"],
    ['src/relay/a.ts', 'await Bun.sleep(10);'],
    ['src/relay/a.ts', 'send({ signal: AbortSignal.timeout(10) });'],
    ['src/kit/a.ts', 'Math.random();'],
    ['src/kit/a.ts', 'crypto.getRandomValues(bytes);'],
    ['src/kit/a.ts', "import { randomBytes } from 'node:crypto'; randomBytes(8);"],
    ['src/kit/a.ts', "import crypto from 'node:crypto'; crypto.randomUUID();"],
  ]);
  accepts(withoutExceptions, [
    ['src/ledger/a.ts', "new Date(at).toISOString(); const text = 'Date.now()'; // Math.random()"],
    ['src/relay/a.ts', 'const wait = ({ setTimeout }: Timers) => setTimeout(done, 1);'],
    ['src/relay/a.ts', 'type Timer = ReturnType<typeof setTimeout>; clock.setTimeout(done); clearTimeout(timer);'],
    ['src/admin/a.ts', 'setInterval(sweep, Date.now());'],
  ]);

  test('an exception holds for its file and its use only, and must be needed', async () => {
    const exceptions = [{ path: 'src/kit/clock.ts', uses: ['Date.now', 'setTimeout'], reason: 'an example' }];
    const sources = await parse(
      new Map([
        ['src/kit/clock.ts', 'Date.now(); Math.random();'],
        ['src/kit/other.ts', 'Date.now();'],
      ]),
    );
    expect(findClockUses(sources, exceptions)).toEqual([
      'src/kit/clock.ts:1 uses Math.random instead of what is passed in',
      'src/kit/other.ts:1 uses Date.now instead of what is passed in',
      'the exception for setTimeout in src/kit/clock.ts is not needed',
    ]);
  });
});

describe('types are not talked around', () => {
  cleanInProject(() => findTypeEscapes(src));
  findsEach(findTypeEscapes, [
    ['src/kit/a.ts', 'let a: any;'],
    ['src/kit/a.ts', 'const a = b as any;'],
    ['src/kit/a.ts', 'type A = Record<string, any>;'],
    ['src/kit/a.ts', 'const a = b as unknown as C;'],
    ['src/kit/a.ts', 'const a = (b as unknown) as C;'],
    ['src/kit/a.ts', '// @ts-ignore\nconst a = 1;'],
    ['src/kit/a.ts', 'const a = 1; /* @ts-expect-error */'],
    ['src/kit/a.ts', '// @ts-nocheck'],
  ]);
  accepts(findTypeEscapes, [
    ['src/kit/a.ts', "const any = 'x: any'; // as any, as unknown as\nconst text = '@ts-ignore';"],
    ['src/kit/a.ts', 'const a = b as unknown; const c = d as E;'],
    ['src/site/a.tsx', "const page = <p>Note: any model; it's `fine`, as any reader knows</p>;"],
  ]);
});

describe('SQL stays in the store', () => {
  cleanInProject(() => findStraySql(src));
  findsEach(findStraySql, [
    ['src/ledger/a.ts', "run('SELECT id FROM accounts');"],
    ['src/ledger/a.ts', 'run(`select id, name\n from accounts`);'],
    ['src/ledger/a.ts', "run('insert into holds values (1)');"],
    ['src/ledger/a.ts', `run(\`WITH old AS (\${x}) DELETE FROM holds\`);`],
    ['src/admin/a.ts', "run('update holds set state = 1');"],
    ['src/admin/a.ts', "run('PRAGMA journal_mode');"],
  ]);
  accepts(findStraySql, [
    ['src/store/a.ts', "run('SELECT id FROM accounts');"],
    ['src/site/a.tsx', "const text = 'Select a model from the list, then delete it'; // SELECT id FROM accounts"],
    ['src/site/a.tsx', "const text = 'select a model from the list';"],
  ]);
});

describe('files stay short', () => {
  cleanInProject(() => findLongFiles(inFolder('src/')));
  test('finds a long file, and accepts the longest allowed', () => {
    const files = new Map([
      ['src/long.ts', 'line\n'.repeat(401)],
      ['src/short.ts', 'line\n'.repeat(400)],
    ]);
    expect(findLongFiles(files)).toEqual(['src/long.ts has 401 lines; 400 at most, 250 as the aim']);
  });
});

describe('packages are pinned and few', () => {
  const clean = {
    dependencies: { bun: '1.0.0', hono: '1.0.0', marked: '1.0.0', uqr: '1.0.0', yaml: '1.0.0', zod: '1.0.0' },
    devDependencies: {},
  };
  cleanInProject(() => [...findLoosePins(manifest), ...findNewDependencies(manifest)]);

  test.each(['^1.2.3', '~1.2.3', '1.x', '*', 'latest', 'github:a/b', '>=1.2.3'])(
    'finds the loose version %s',
    (version) => {
      expect(findLoosePins({ ...clean, devDependencies: { some: version } })).toHaveLength(1);
    },
  );
  test('accepts exact versions', () => {
    expect(findLoosePins({ ...clean, devDependencies: { some: '1.2.3-rc.1' } })).toEqual([]);
  });
  test('finds a new and a removed dependency', () => {
    const { zod: _, ...others } = clean.dependencies;
    const found = findNewDependencies({ ...clean, dependencies: { ...others, lodash: '1.0.0' } });
    expect(found).toHaveLength(2);
    expect(found[0]).toContain('lodash');
    expect(found[1]).toContain('zod');
  });
});

describe('the lockfile is whole', () => {
  cleanInProject(() => findLockfileHoles(readLockfile()));
  test('finds a missing package', () => {
    const packages = {
      '': { dependencies: { a: '1.0.0' } },
      'node_modules/a': {
        dependencies: { b: '^1.0.0' },
        optionalDependencies: { '@a/linux': '1.0.0', '@a/mac': '1.0.0' },
      },
      'node_modules/a/node_modules/b': {},
      'node_modules/@a/linux': {},
    };
    expect(findLockfileHoles({ packages })).toEqual([
      'package-lock.json: node_modules/a needs @a/mac, which is not there',
    ]);
  });
});

describe('the lockfile names no host', () => {
  cleanInProject(() => findLockedHosts(readLockfile()));
  test('finds a resolved address', () => {
    const resolved = 'https://packages.example/zod.tgz';
    expect(findLockedHosts({ packages: { '': {}, 'node_modules/zod': { resolved } } })).toEqual([
      `package-lock.json: node_modules/zod is tied to ${resolved}`,
    ]);
  });
});

describe('files name nothing of one machine', () => {
  cleanInProject(() => findMachineTraces(project));
  // Joined here, because this file is looked through too.
  const bad = [
    ['cd ', 'work/main'],
    ['file://', 'root/.npm'],
    ["'", "home/someone/project'"],
    ['(', 'Users/someone/project)'],
  ].map((pieces) => pieces.join('/'));
  const registries = ['https://registry', 'http://registry'].map((host) => `${host}.example.org/zod`);
  test.each([...bad, ...registries])('finds %s', (text) => {
    expect(findMachineTraces(new Map([['docs/a.md', `fine\n${text}`]]))).toHaveLength(1);
  });
  test.each(['example.com/work/at', './root/folder', '/homepage/of/us', 'registry.register(name)', '/var/lib/gateway'])(
    'accepts %s',
    (text) => expect(findMachineTraces(new Map([['docs/a.md', text]]))).toEqual([]),
  );
});

describe('every test runs', () => {
  cleanInProject(() => findIdleTests(tests));
  findsEach(findIdleTests, [
    ['test/a.test.ts', "import { test } from 'bun:test'; test.skip('a', () => {});"],
    ['test/a.test.ts', "import { test as check } from 'bun:test'; check.only('a', () => {});"],
    ['test/a.test.ts', "test.todo('a');"],
    ['test/a.test.ts', "describe.only('a', () => {});"],
    ['test/a.test.ts', "it.skip('a', () => {});"],
  ]);
  accepts(findIdleTests, [['test/a.test.ts', "test('test.skip and test.only', () => {}); // describe.only"]]);
});
