// The program that tests start as a process: the command line with the server, bundled with its bytecode. A process of it
// takes less than half of the CPU time to start that one of the source takes. Commands have a bundle without the server, a
// quarter of the size. The first test process that needs the bundles builds them for the whole run of `npm test`.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BunPlugin } from 'bun';
import { codeOf } from '../../src/kit/error-code.ts';
import { eventually } from './eventually.ts';

const SOURCE = join(import.meta.dir, '..', '..', 'src');
const CLI = 'cli.ts';
const THREADS = ['store/sqlite/writer-thread.ts', 'store/sqlite/reader-thread.ts'];
const SERVE = 'serve';
const COMMANDS = 'commands';
/** Set by `npm test`, which removes the folder at its end. Other commands start the source. */
const RUN_FOLDER = process.env.TEST_RUN_FOLDER;
const BUILD_MS = 90_000;

type StartedBy = (word: string | undefined) => string;
let program: Promise<StartedBy> | StartedBy | undefined;

/** What starts the command line with these arguments; `serve` is the server. */
export async function gatewayCommand(args: readonly string[]): Promise<string[]> {
  program ??= RUN_FOLDER === undefined ? () => join(SOURCE, CLI) : bundleOnce(join(RUN_FOLDER, 'program'));
  return [process.execPath, '--no-env-file', (await program)(args[0]), ...args];
}

/** For a command that starts many processes: they run a bundle in this new folder, which the command removes. */
export function bundleInto(folder: string): void {
  program = bundleOnce(folder);
}

/** The file to start for a program that opens a store itself; `source` is its path. */
export async function testProgram(source: string): Promise<string> {
  if (RUN_FOLDER === undefined) return source;
  const name = basename(source, '.ts');
  const folder = join(RUN_FOLDER, `${name}-${Bun.hash(source)}`);
  await once(folder, () => bundle(folder, [source, ...THREADS], [threadsIn(folder)]));
  return join(folder, `${name}.js`);
}

async function bundleOnce(folder: string): Promise<StartedBy> {
  await once(folder, async () => {
    await bundle(folder, [CLI, ...THREADS], [threadsIn(folder)]);
    await bundle(join(folder, COMMANDS), [CLI], [threadsIn(folder), WITHOUT_SERVER]);
  });
  return (word) => join(folder, word === SERVE ? '' : COMMANDS, 'cli.js');
}

/** Makes the folder and fills it, unless another test process does. */
async function once(folder: string, fill: () => Promise<void>): Promise<void> {
  const done = join(folder, 'done');
  if (isCreatedHere(folder)) {
    await fill();
    writeFileSync(done, '');
  } else await eventually('another test process has bundled the program', () => existsSync(done), BUILD_MS);
}

function isCreatedHere(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return false;
  }
}

async function bundle(folder: string, programs: readonly string[], plugins: BunPlugin[]): Promise<void> {
  await Bun.build({
    entrypoints: programs.map((name) => resolve(SOURCE, name)),
    outdir: folder,
    naming: '[name].[ext]',
    target: 'bun',
    format: 'cjs',
    bytecode: true,
    // The server is a part of the command line here, and does not start by itself.
    define: { 'import.meta.main': 'false' },
    plugins,
  });
}

/** Bun writes the place of the source into a bundle: its threads would run from there. */
const threadsIn = (folder: string): BunPlugin => ({
  name: 'threads',
  setup(build) {
    build.onLoad({ filter: /sqlite\/sqlite-store\.ts$/ }, async ({ path }) => {
      const source = await Bun.file(path).text();
      const contents = source
        .replaceAll('-thread.ts', '-thread.js')
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(join(folder, 'cli.js')).href));
      return { contents, loader: 'ts' };
    });
  },
});

const WITHOUT_SERVER: BunPlugin = {
  name: 'without-server',
  setup(build) {
    build.onResolve({ filter: /^\.\/main\.ts$/ }, ({ path }) => ({ path, external: true }));
  },
};
