// The real server process, started to be killed.

import { gatewayCommand } from '../support/bundled-program.ts';

const GIVE_UP_MS = 60_000;
const POLL_MS = 5;

export interface Server {
  url: string;
  pid: number;
  /** From the start of the process to the first answer "ready"; undefined if it died before. */
  readyMs: number | undefined;
  /** Resolves when the process is gone, however it went. */
  gone: Promise<{ signal: string | null }>;
  isGone(): boolean;
  kill(): void;
  /** SIGTERM; resolves with the exit code. */
  drain(): Promise<number>;
  stderr(): Promise<string>;
}

export interface ServerOptions {
  dataDir: string;
  port: number;
  env: Readonly<Record<string, string>>;
  /** `inside-settle:3` */
  killAt?: string | undefined;
  /** What starts it, if it is not the program of this folder. */
  command?: readonly string[] | undefined;
  /** A command of the shell that sets limits for the process, such as `ulimit -n 64`. */
  limit?: string | undefined;
  /** Where its log goes; nowhere if left out. */
  logFile?: string;
}

export async function startServer(options: ServerOptions): Promise<Server> {
  const { dataDir, port, env, killAt, command: given, limit, logFile } = options;
  const serve = given ?? (await gatewayCommand(['serve']));
  const command = limit === undefined ? [...serve] : ['sh', '-c', `${limit} && exec "$0" "$@"`, ...serve];
  const startedAt = performance.now();
  const child = Bun.spawn(command, {
    cwd: dataDir,
    env: {
      PATH: process.env.PATH ?? '',
      DATA_DIR: dataDir,
      PORT: String(port),
      ...env,
      ...(killAt === undefined ? {} : { TORTURE_KILL: killAt }),
    },
    stdin: 'ignore',
    stdout: logFile === undefined ? 'ignore' : Bun.file(logFile),
    stderr: 'pipe',
  });
  let isGone = false;
  const gone = child.exited.then(() => {
    isGone = true;
    return { signal: child.signalCode === null ? null : String(child.signalCode) };
  });
  const url = `http://127.0.0.1:${port}`;
  const server: Server = {
    url,
    pid: child.pid,
    readyMs: undefined,
    gone,
    isGone: () => isGone,
    kill: () => child.kill('SIGKILL'),
    async drain() {
      child.kill('SIGTERM');
      return child.exited;
    },
    stderr: () => new Response(child.stderr).text(),
  };
  while (!isGone && server.readyMs === undefined) {
    if (performance.now() - startedAt > GIVE_UP_MS) throw new Error(`not ready within ${GIVE_UP_MS} ms`);
    if (await isReady(url)) server.readyMs = performance.now() - startedAt;
    else await Bun.sleep(POLL_MS);
  }
  return server;
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).ok;
  } catch {
    return false;
  }
}
