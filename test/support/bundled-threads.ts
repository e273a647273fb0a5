// Loaded before the tests. The tests open thousands of databases with three SQLite threads each, and a new thread reads and
// compiles some dozens of source files. So every test process bundles the programs of these threads once, with their
// bytecode, and a thread that has closed its database opens the next one.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Envelope, ReaderRequest, WriterRequest } from '../../src/store/sqlite/messages.ts';

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

/** A thread of the store. Once its database is closed it does not end, but waits for the next one. */
class StoreThread extends Worker {
  readonly #idle: Worker[];
  #isClosed = false;

  constructor(bundle: string, idle: Worker[]) {
    super(bundle);
    this.#idle = idle;
  }

  /** The store ends a thread to which it has sent `close` only after the answer. */
  override postMessage(message: Envelope<ReaderRequest | WriterRequest> | string): void {
    this.#isClosed = typeof message !== 'string' && message.request.do === 'close';
    super.postMessage(message);
  }

  override terminate(): void {
    if (this.#isClosed) {
      this.onmessage = null;
      this.onerror = null;
      this.#idle.push(this);
    } else super.terminate();
  }
}

const programs = new Map(
  PROGRAMS.map((program) => [sourceOf(program), { bundle: join(folder, `${program}.js`), idle: [] as Worker[] }]),
);

globalThis.Worker = new Proxy(Worker, {
  construct(plain, [source, options]: [string | URL, WorkerOptions?]) {
    const program = programs.get(String(source));
    if (!program) return new plain(source, options);
    return program.idle.pop() ?? new StoreThread(program.bundle, program.idle);
  },
});
