// Proves from outside that a money fact is on disk before it is acknowledged: strace lists the server's system calls, and
// between the last write to the write-ahead log and the answer there must be a finished sync of that log.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';
import { register } from './calls.ts';
import { noFacts } from './facts.ts';

const ROOT = join(import.meta.dir, '..', '..');
const REGISTRATIONS = 20;
const GIVE_UP_MS = 30_000;
/** strace writes its last lines after its tracee is gone. */
const FLUSH_MS = 500;

interface Traced {
  at: number;
  what: 'log written' | 'log synced' | 'answer';
}

/** Prints what it found; false if an answer was given too early, or strace is missing. */
export async function countSyncs(): Promise<boolean> {
  if (!Bun.which('strace')) {
    console.log('strace is not installed (Debian: apt-get install strace); nothing was counted.');
    return false;
  }
  const folder = mkdtempSync(join(tmpdir(), 'gateway-syncs-'));
  const trace = join(folder, 'trace');
  const port = await freePort();
  const calls = 'fdatasync,fsync,pwrite64,write,writev,sendto,sendmsg,openat';
  const child = Bun.spawn(
    [
      'strace',
      // As a grandchild: signals reach the server itself, and strace ends when it does.
      '-D',
      '-f',
      '-y',
      '-ttt',
      '-s',
      '32',
      '-e',
      `trace=${calls}`,
      '-o',
      trace,
      process.execPath,
      '--no-env-file',
      join(ROOT, 'src', 'main.ts'),
    ],
    {
      cwd: folder,
      env: {
        PATH: process.env.PATH ?? '',
        DATA_DIR: join(folder, 'data'),
        PORT: String(port),
        GATEWAY_CONFIG: config(folder),
      },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'inherit',
    },
  );
  try {
    const url = `http://127.0.0.1:${port}`;
    await readiness(url);
    const begunAt = Date.now() / 1000;
    for (let n = 0; n < REGISTRATIONS; n++) await register({ url, facts: noFacts() });
    child.kill('SIGTERM');
    await child.exited;
    await Bun.sleep(FLUSH_MS);
    return report(readTrace(readFileSync(trace, 'utf8')).filter(({ at }) => at >= begunAt));
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

function config(folder: string): string {
  const path = join(folder, 'gateway.yaml');
  const document = {
    channels: [{ name: 'demo', kind: 'demo' }],
    models: [{ id: 'auto:free', price: 'free', routes: [{ channel: 'demo', model: 'demo' }] }],
    limits: { register_per_ip: 1_000, register_per_day: 1_000 },
  };
  void Bun.write(path, JSON.stringify(document));
  return path;
}

/** One call at a time was made, so each answer belongs to the writes and syncs since the answer before it. */
function report(events: readonly Traced[]): boolean {
  let syncs = 0;
  let answers = 0;
  let early = 0;
  let isDirty = false;
  let wroteSince = false;
  for (const { what } of events) {
    if (what === 'log written') {
      isDirty = true;
      wroteSince = true;
    } else if (what === 'log synced') {
      isDirty = false;
      syncs++;
    } else {
      answers++;
      if (isDirty || !wroteSince) early++;
      wroteSince = false;
    }
  }
  console.log(
    `${answers} registrations acknowledged, ${syncs} syncs of the write-ahead log, ${early} answers before their sync`,
  );
  return answers === REGISTRATIONS && early === 0 && syncs >= answers;
}

/** A call that another thread interrupted counts when it is resumed: a sync only protects once it is over. */
function readTrace(text: string): Traced[] {
  const unfinished = new Map<string, string>();
  return text.split('\n').flatMap((line): Traced[] => {
    const [, thread = '', time = '', rest = ''] = /^(\d+)\s+([\d.]+)\s+(.*)$/.exec(line) ?? [];
    const at = Number(time);
    if (rest.includes('<unfinished ...>')) unfinished.set(thread, rest);
    const isResumed = rest.startsWith('<...');
    const call = isResumed ? (unfinished.get(thread) ?? '') : rest;
    if (/^pwrite64\([^)]*-wal>/.test(call)) return isResumed ? [] : [{ at, what: 'log written' }];
    if (/^f(data)?sync\([^)]*-wal>/.test(call)) {
      return / = 0$/.test(rest) ? [{ at, what: 'log synced' }] : [];
    }
    if (/^(write|writev|sendto|sendmsg)\(.*HTTP\/1\.1 201/.test(call)) return isResumed ? [] : [{ at, what: 'answer' }];
    return [];
  });
}

async function readiness(url: string): Promise<void> {
  const until = performance.now() + GIVE_UP_MS;
  while (performance.now() < until) {
    if (
      await fetch(`${url}/readyz`).then(
        (response) => response.ok,
        () => false,
      )
    )
      return;
    await Bun.sleep(50);
  }
  throw new Error('the traced server did not become ready');
}
