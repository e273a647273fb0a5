// The temporary folder of a run and the processes in it. They end when the bench ends.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runtimeEnvironment } from '../../src/server/settings/settings.ts';
import { familyOf } from './processes.ts';

export interface Process {
  pid: number;
  isGone(): boolean;
  /** Asks it to end, and kills it after a while. */
  stop(): Promise<void>;
}

export interface Helper<Command, Reply> extends Process {
  /** Its first message after startup. */
  greeting: Reply;
  ask(command: Command): Promise<Reply>;
}

export interface Stage {
  folder: string;
  start(name: string, command: readonly string[], env?: Readonly<Record<string, string>>): Process;
  /** Runs a script of this folder that talks over IPC. */
  startHelper<Command, Reply>(script: string): Promise<Helper<Command, Reply>>;
  /** The output of a process, for error reports. */
  logOf(name: string): Promise<string>;
  /** Runs before the processes are ended; the last one added runs first. */
  onEnd(end: () => Promise<void>): void;
  end(): Promise<void>;
  /** Failures after this are caused by the shutdown. */
  isEnding(): boolean;
}

const ROOT = join(import.meta.dir, '..', '..');
const STOP_MS = 5_000;
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export function createStage(): Stage {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const running = new Set<Bun.Subprocess>();
  const ends: (() => Promise<void>)[] = [];

  // Last resort on exit: nothing can be awaited here.
  const clear = () => {
    // Including child processes: an nginx worker outlives its master.
    for (const pid of [...running].flatMap((child) => familyOf(child.pid))) kill(pid);
    rmSync(folder, { recursive: true, force: true });
  };
  let isEnding = false;
  const end = async () => {
    isEnding = true;
    for (const one of ends.splice(0).reverse()) await one().catch(() => undefined);
    await Promise.all([...running].map(stop));
    clear();
  };
  process.on('exit', clear);
  for (const [signal, code] of Object.entries(SIGNALS)) {
    process.on(signal, () => void end().finally(() => process.exit(code)));
  }

  async function stop(child: Bun.Subprocess): Promise<void> {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await child.exited;
    clearTimeout(timer);
  }

  function keep(child: Bun.Subprocess): Process {
    running.add(child);
    void child.exited.then(() => running.delete(child));
    return {
      pid: child.pid,
      isGone: () => child.exitCode !== null || child.signalCode !== null,
      stop: () => stop(child),
    };
  }

  const logPath = (name: string) => join(folder, `${name}.txt`);

  return {
    folder,
    start(name, command, env = {}) {
      const log = Bun.file(logPath(name));
      const options = { stdin: 'ignore', stdout: log, stderr: log } as const;
      return keep(Bun.spawn([...command], { cwd: ROOT, env: { ...environment(), ...env }, ...options }));
    },
    async startHelper<Command, Reply>(script: string) {
      const waiting: ((reply: Reply) => void)[] = [];
      const child = Bun.spawn([process.execPath, '--no-env-file', join(import.meta.dir, script)], {
        env: environment(),
        stdin: 'ignore',
        stdout: 'inherit',
        stderr: 'inherit',
        ipc: (message) => waiting.shift()?.(message),
      });
      const next = () => new Promise<Reply>((resolve) => waiting.push(resolve));
      const died = child.exited.then(() => Promise.reject(new Error(`${script} has ended`)));
      died.catch(() => undefined);
      const process_ = keep(child);
      const greeting = await Promise.race([next(), died]);
      return {
        ...process_,
        greeting,
        ask(command: Command) {
          child.send(command);
          return Promise.race([next(), died]);
        },
      };
    },
    logOf: (name) =>
      Bun.file(logPath(name))
        .text()
        .catch(() => ''),
    onEnd: (one) => void ends.push(one),
    end,
    isEnding: () => isEnding,
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

/** As the start script sets it, with only the path from the developer's shell. */
function environment(): NodeJS.ProcessEnv {
  return { ...runtimeEnvironment({ PATH: process.env.PATH ?? '', NODE_ENV: 'production' }) };
}
