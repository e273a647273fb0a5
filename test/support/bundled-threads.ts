// Loaded before the tests. The tests start thousands of SQLite threads, and Bun reads and compiles some dozens of source
// files for each. So every test process bundles the programs of these threads once, with their bytecode, and a thread that
// has closed its file opens the next one instead of ending.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Envelope, ReaderRequest, Reply, WriterRequest } from '../../src/store/sqlite/messages.ts';

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

type Message = Envelope<ReaderRequest | WriterRequest> | string;

/** As many as the stores of a test close at about the same time. */
const MAX_IDLE = 8;
const idle = new Map<string, Worker[]>();

/** A thread as one store sees it: after `terminate`, it neither sends nor receives anything. */
class ThreadOfStore {
  onmessage: ((event: MessageEvent<Reply | string>) => void) | null = null;
  onerror: ((event: ErrorEvent) => void) | null = null;
  readonly #bundle: string;
  readonly #worker: Worker;
  #closing: number | undefined;
  #hasClosed = false;
  #hasEnded = false;

  constructor(bundle: string) {
    this.#bundle = bundle;
    this.#worker = idle.get(bundle)?.pop() ?? new Worker(bundle);
    this.#worker.onmessage = (event: MessageEvent<Reply | string>) => {
      const { data } = event;
      this.#hasClosed = typeof data !== 'string' && data.ok && data.id === this.#closing;
      this.onmessage?.(event);
    };
    this.#worker.onerror = (event) => this.onerror?.(event);
  }

  postMessage(message: Message): void {
    if (this.#hasEnded) return;
    if (typeof message !== 'string' && message.request.do === 'close') this.#closing = message.id;
    this.#worker.postMessage(message);
  }

  terminate(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const threads = idle.get(this.#bundle) ?? [];
    if (this.#hasClosed && threads.length < MAX_IDLE) {
      this.#worker.onmessage = null;
      this.#worker.onerror = null;
      idle.set(this.#bundle, [...threads, this.#worker]);
    } else this.#worker.terminate();
  }
}

globalThis.Worker = new Proxy(Worker, {
  construct(target, [program, options]: ConstructorParameters<typeof Worker>) {
    const bundle = bundles.get(String(program));
    return bundle === undefined ? new target(program, options) : new ThreadOfStore(bundle);
  },
});
