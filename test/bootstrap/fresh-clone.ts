// A temporary folder that looks like a fresh clone of the project, with a tiny service in it and a stand-in for npm.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Subprocess } from 'bun';

const PROJECT = join(import.meta.dir, '..', '..');
const FAKE_NPM = join(import.meta.dir, 'npm-cli.js');

export interface NpmBehaviour {
  delayMs?: number;
  ignoreScripts?: boolean;
  fails?: boolean;
}

export interface Finished {
  exitCode: number;
  stdout: string;
  stderr: string;
}

export class FreshClone {
  readonly folder = mkdtempSync(join(tmpdir(), 'fresh-clone-'));
  npm: NpmBehaviour = {};
  #started: Subprocess[] = [];

  constructor(files: Record<string, string> = {}) {
    for (const name of ['package.json', 'package-lock.json', '.npmrc', 'scripts']) {
      cpSync(join(PROJECT, name), join(this.folder, name), { recursive: true });
    }
    for (const [path, text] of Object.entries(files)) this.write(path, text);
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  read = (path: string) => readFileSync(join(this.folder, path), 'utf8');

  has = (path: string) => existsSync(join(this.folder, path));

  /** Whole lines only: a file is there a moment before its first line is. */
  lines = (path: string) => (this.has(path) ? this.read(path).split('\n').slice(0, -1) : []);

  /** Starts `node scripts/run.mjs …args`. */
  start = (args: string[], env: Record<string, string> = {}) =>
    this.startCommand(['node', 'scripts/run.mjs', ...args], env);

  startCommand(command: string[], env: Record<string, string> = {}) {
    const child = Bun.spawn(command, {
      cwd: this.folder,
      // A process group of its own, so that `remove` can end whatever came of it.
      detached: true,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      env: {
        PATH: Bun.env.PATH ?? '',
        HOME: this.folder,
        npm_execpath: FAKE_NPM,
        FAKE_NPM: JSON.stringify({ bun: process.execPath, ...this.npm }),
        ...env,
      },
    });
    this.#started.push(child);
    return child;
  }

  async run(args: string[], env?: Record<string, string>): Promise<Finished> {
    return finished(this.start(args, env));
  }

  /** How npm was called so far: `ci --omit=dev …`. */
  npmCalls(): string[][] {
    return this.lines('npm-calls.log').map((line) => JSON.parse(line));
  }

  remove(): void {
    for (const { pid } of this.#started) killGroup(pid);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Everything in it has ended.
  }
}

export async function finished(child: Subprocess<'ignore', 'pipe', 'pipe'>): Promise<Finished> {
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, stdout, stderr };
}

/** Waits until something is so, looking every few milliseconds. */
export async function until(isSo: () => boolean, withinMs = 60_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error(`not so within ${withinMs} ms: ${isSo}`);
    await Bun.sleep(5);
  }
}
