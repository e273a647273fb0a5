// The server under strace, which lists its system calls or makes some of them fail.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';
import { startServer } from './server.ts';

const ROOT = join(import.meta.dir, '..', '..');
const GIVE_UP_MS = 30_000;
/** strace writes its last lines after its tracee is gone. */
const FLUSH_MS = 500;

export interface TracedServer {
  url: string;
  databaseFile: string;
  traceFile: string;
  /** Ends it with a signal, and waits until the trace is whole. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** The same data folder, served without strace. */
  startPlain(): ReturnType<typeof startServer>;
  remove(): void;
}

/** Undefined, and one line on the terminal, where strace is not installed. */
export async function startTraced(expressions: readonly string[]): Promise<TracedServer | undefined> {
  if (!Bun.which('strace')) {
    console.log('strace is not installed (Debian: apt-get install strace); nothing was proven.');
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), 'gateway-traced-'));
  const dataDir = join(folder, 'data');
  const traceFile = join(folder, 'trace');
  const port = await freePort();
  const env = { GATEWAY_CONFIG: writeConfig(folder) };
  const options = ['-f', '-y', '-ttt', '-s', '32', ...expressions.flatMap((one) => ['-e', one]), '-o', traceFile];
  // As a grandchild (-D): signals reach the server itself, and strace ends when it does.
  const command = ['strace', '-D', ...options, process.execPath, '--no-env-file', join(ROOT, 'src', 'main.ts')];
  const child = Bun.spawn(command, {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', DATA_DIR: dataDir, PORT: String(port), ...env },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
  });
  const url = `http://127.0.0.1:${port}`;
  await readiness(url);
  return {
    url,
    databaseFile: join(dataDir, 'gateway.sqlite'),
    traceFile,
    async end(signal) {
      child.kill(signal);
      await child.exited;
      await Bun.sleep(FLUSH_MS);
    },
    startPlain: () => startServer({ dataDir, port, env }),
    remove() {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function writeConfig(folder: string): string {
  const path = join(folder, 'gateway.yaml');
  const document = {
    channels: [{ name: 'demo', kind: 'demo' }],
    models: [{ id: 'auto:free', price: 'free', routes: [{ channel: 'demo', model: 'demo' }] }],
    limits: { register_per_ip: 1_000, register_per_day: 1_000 },
    guards: { register_attempts_per_minute: null },
  };
  writeFileSync(path, JSON.stringify(document));
  return path;
}

async function readiness(url: string): Promise<void> {
  const until = performance.now() + GIVE_UP_MS;
  while (performance.now() < until) {
    const isReady = await fetch(`${url}/readyz`).then(
      (response) => response.ok,
      () => false,
    );
    if (isReady) return;
    await Bun.sleep(50);
  }
  throw new Error('the traced server did not become ready');
}
