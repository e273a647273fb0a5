// Loaded before the tests. The tests start thousands of SQLite threads, and Bun reads and compiles some dozens of source
// files for each. So every test process bundles the programs of these threads once, with their bytecode.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAMS = ['writer-thread', 'reader-thread'];

const sourceOf = (program: string) => new URL(`../../src/store/sqlite/${program}.ts`, import.meta.url).href;
const folder = mkdtempSync(join(tmpdir(), 'gateway-threads-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
await Bun.build({
  entrypoints: PROGRAMS.map((program) => fileURLToPath(sourceOf(program))),
  outdir: folder,
  target: 'bun',
  format: 'cjs',
  bytecode: true,
});
const bundles = new Map(PROGRAMS.map((program) => [sourceOf(program), join(folder, `${program}.js`)]));

globalThis.Worker = class extends Worker {
  constructor(program: string | URL, options?: WorkerOptions) {
    super(bundles.get(String(program)) ?? program, options);
  }
};
