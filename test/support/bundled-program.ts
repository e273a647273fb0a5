// The program that tests start as a process: the command line with the server, bundled with its bytecode. A process of it
// takes less than half of the CPU time to start that one of the source takes. The first test process that needs the bundle
// builds it for the whole run of `npm test`.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BunPlugin } from 'bun';
import { codeOf } from '../../src/kit/error-code.ts';
import { eventually } from './eventually.ts';

const SOURCE = join(import.meta.dir, '..', '..', 'src');
const PROGRAMS = ['cli.ts', 'store/sqlite/writer-thread.ts', 'store/sqlite/reader-thread.ts'];
/** Set by `npm test`, which removes the folder at its end. Other commands start the source. */
const RUN_FOLDER = process.env.TEST_RUN_FOLDER;
const BUILD_MS = 90_000;

let program: Promise<string> | string | undefined;

/** What starts the command line with these arguments; `serve` is the server. */
export async function gatewayCommand(args: readonly string[]): Promise<string[]> {
  program ??= RUN_FOLDER === undefined ? join(SOURCE, 'cli.ts') : bundleOnce(join(RUN_FOLDER, 'program'));
  return [process.execPath, '--no-env-file', await program, ...args];
}

/** For a command that starts many processes: they run a bundle in this new folder, which the command removes. */
export function bundleInto(folder: string): void {
  program = bundleOnce(folder);
}

async function bundleOnce(folder: string): Promise<string> {
  const done = join(folder, 'done');
  if (isCreatedHere(folder)) {
    await bundle(folder);
    writeFileSync(done, '');
  } else await eventually('another test process has bundled the program', () => existsSync(done), BUILD_MS);
  return join(folder, 'cli.js');
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

async function bundle(folder: string): Promise<void> {
  await Bun.build({
    entrypoints: PROGRAMS.map((name) => join(SOURCE, name)),
    outdir: folder,
    naming: '[name].[ext]',
    target: 'bun',
    format: 'cjs',
    bytecode: true,
    // The server is a part of the command line here, and does not start by itself.
    define: { 'import.meta.main': 'false' },
    plugins: [threadsIn(folder)],
  });
}

/** Bun writes the place of the source into a bundle: its threads would run from there. */
const threadsIn = (folder: string): BunPlugin => ({
  name: 'threads',
  setup(build) {
    build.onLoad({ filter: /sqlite\/connect-thread\.ts$/ }, async ({ path }) => {
      const source = await Bun.file(path).text();
      const contents = source
        .replaceAll('-thread.ts', '-thread.js')
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(join(folder, 'cli.js')).href));
      return { contents, loader: 'ts' };
    });
  },
});
