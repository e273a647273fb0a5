// Real processes of the program: the server and the command line, each in a folder of its own, with an environment that
// holds nothing of the developer's shell.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gatewayCommand } from './bundled-program.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';

const START_MS = 90_000;

export interface Ended {
  exitCode: number;
  stdout: string;
  stderr: string;
}

export interface RunningProcess {
  pid: number;
  /** What it has written so far. */
  stdout(): string;
  stderr(): string;
  signal(signal: NodeJS.Signals): void;
  ended: Promise<Ended>;
}

export interface RunningServer extends RunningProcess {
  url: string;
}

type Environment = Readonly<Record<string, string>>;

export interface Workplace {
  folder: string;
  dataDir: string;
  /** The path of a file in the folder. */
  path(name: string): string;
  /** Writes a file into the folder; an object goes as JSON, which is YAML. */
  write(name: string, content: unknown): string;
  /** Runs the command line to its end. */
  gateway(args: readonly string[], env?: Environment): Promise<Ended>;
  /** Starts the server and waits for nothing. */
  begin(env?: Environment): Promise<RunningServer>;
  /** The same, with stdout in a file. */
  gatewayInto(file: string, args: readonly string[]): Promise<Ended>;
  /** Starts the server and waits until it serves. */
  serve(env?: Environment): Promise<RunningServer>;
  /** Starts the server and waits for its end: for starts that cannot succeed. */
  failToServe(env?: Environment): Promise<Ended>;
  /** Starts the server with its log in a file, and waits until it answers. */
  serveInto(file: string, env?: Environment): Promise<RunningServer>;
  /** Ends what still runs and removes the folder. */
  remove(): Promise<void>;
}

export function createWorkplace(): Workplace {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-process-'));
  const dataDir = join(folder, 'data');
  const running = new Set<Bun.Subprocess>();

  async function start(args: readonly string[], env: Environment, file?: string): Promise<RunningProcess> {
    const child = Bun.spawn(await gatewayCommand(args), {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', ADMIN_PORT: '0', DATA_DIR: dataDir, ...env },
      stdin: 'ignore',
      stdout: file === undefined ? 'pipe' : Bun.file(file),
      stderr: 'pipe',
    });
    running.add(child);
    const stdout = collect(child.stdout instanceof ReadableStream ? child.stdout : new Blob([]).stream());
    const stderr = collect(child.stderr);
    const ended = Promise.all([child.exited, stdout.end, stderr.end]).then(([exitCode]) => {
      running.delete(child);
      return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
    });
    return { pid: child.pid, stdout: stdout.text, stderr: stderr.text, signal: (name) => child.kill(name), ended };
  }

  async function begin(env: Environment = {}): Promise<RunningServer> {
    const port = env.PORT ?? String(await freePort());
    return { ...(await start(['serve'], { PORT: port, ...env })), url: `http://127.0.0.1:${port}` };
  }

  return {
    folder,
    dataDir,
    begin,
    path: (name) => join(folder, name),
    write(name, content) {
      const path = join(folder, name);
      writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
      return path;
    },
    gateway: async (args, env = {}) => (await start(args, env)).ended,
    gatewayInto: async (file, args) => (await start(args, {}, file)).ended,
    async serve(env) {
      const server = await begin(env);
      const outcome = await Promise.race([
        server.ended,
        eventually('the server serves', () => logged(server, 'serving').length > 0, START_MS),
      ]);
      if (outcome !== true) throw new Error(`the server ended at its start: ${outcome.stderr}`);
      return server;
    },
    failToServe: async (env) => (await begin(env)).ended,
    async serveInto(file, env = {}) {
      const port = String(await freePort());
      const url = `http://127.0.0.1:${port}`;
      const server = await start(['serve'], { PORT: port, ...env }, file);
      const answers = async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.status === 200;
      const outcome = await Promise.race([server.ended, eventually('the server answers', answers, START_MS)]);
      if (outcome !== true) throw new Error(`the server ended at its start: ${outcome.stderr}`);
      return { ...server, url };
    },
    async remove() {
      const children = [...running];
      for (const child of children) child.kill('SIGKILL');
      await Promise.all(children.map((child) => child.exited));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The lines of one event in a server's log. */
export function logged(process: Pick<RunningProcess, 'stdout'>, event: string): Record<string, unknown>[] {
  return process
    .stdout()
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => line.event === event);
}

function collect(stream: ReadableStream<Uint8Array>): { text(): string; end: Promise<void> } {
  let text = '';
  const read = async () => {
    for await (const piece of stream.pipeThrough(new TextDecoderStream() as never)) text += piece;
  };
  return { text: () => text, end: read() };
}
