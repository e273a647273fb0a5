// Runs another program as its users do: a process of its own in an empty folder, with a home of its own, nothing of the
// developer's environment, and no way to the internet. It is ended when its time is up.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { finished } from '../bootstrap/fresh-clone.ts';

export interface CliRun {
  command: readonly string[];
  env: Readonly<Record<string, string>>;
  /** By path below the home; the program starts in `work` there. */
  files?: Readonly<Record<string, string>>;
}

export interface CliEnded {
  exitCode: number;
  stdout: string;
  stderr: string;
  tookMs: number;
}

const LIMIT_MS = 180_000;
/** For tests that run one, so that what the program wrote is seen when it hangs. */
export const CLI_TEST_MS = LIMIT_MS + 15_000;

// Nobody listens there: whatever is not on this machine fails at once, in a place without a network and with one.
const NOWHERE = 'http://127.0.0.1:9';
const NO_INTERNET = { HTTP_PROXY: NOWHERE, HTTPS_PROXY: NOWHERE, NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' };

export async function runCli({ command, env, files = {} }: CliRun): Promise<CliEnded> {
  const home = mkdtempSync(join(tmpdir(), 'gateway-cli-'));
  mkdirSync(join(home, 'work'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const begun = performance.now();
  const child = Bun.spawn([...command], {
    cwd: join(home, 'work'),
    // A process group of its own: these programs start others, which must end with them.
    detached: true,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: process.env.PATH ?? '', HOME: home, ...NO_INTERNET, ...env },
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    endGroup(child.pid);
  }, LIMIT_MS);
  try {
    const ended = await finished(child);
    if (isLate) throw new Error(`not within ${LIMIT_MS} ms: ${command.join(' ')}\n${ended.stdout}\n${ended.stderr}`);
    return { ...ended, tookMs: performance.now() - begun };
  } finally {
    clearTimeout(timer);
    endGroup(child.pid);
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Everything in it has ended.
  }
}
