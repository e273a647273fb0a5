// A start that cannot succeed: exit 1 and one clear line on stderr.
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkplace, type Ended, logged, type Workplace } from '../../support/start-process.ts';
import { testDocument, upModel } from '../../support/test-document.ts';

let place: Workplace;
beforeEach(() => {
  place = createWorkplace();
});
afterEach(() => place.remove());

/** The line, without its "cannot start: ". */
function lineOf({ exitCode, stdout, stderr }: Ended): string {
  expect(exitCode).toBe(1);
  expect(logged({ stdout: () => stdout }, 'serving')).toEqual([]);
  expect(stderr).toMatch(/^cannot start: [^\n]+\n$/);
  return stderr.slice('cannot start: '.length, -1);
}

/** A data folder as a good start leaves it. */
async function startOnce(): Promise<void> {
  const server = await place.serve();
  server.signal('SIGTERM');
  expect((await server.ended).exitCode).toBe(0);
}

describe('the port', () => {
  test('is in use', async () => {
    const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
    try {
      const line = lineOf(await place.failToServe({ PORT: String(other.port) }));
      expect(line).toContain(`127.0.0.1:${other.port}`);
      expect(line).toContain('in use');
    } finally {
      await other.stop(true);
    }
  });

  // Set aside for documentation: no machine has it. Names are in test/server/ports/: here the machine's resolver would decide.
  test('is on an address that the machine does not have', async () => {
    expect(lineOf(await place.failToServe({ HOST: '192.0.2.1', PORT: '9137' }))).toBe(
      `cannot listen on 192.0.2.1:9137: this machine does not have that address; set HOST to one that it has, or to 0.0.0.0`,
    );
  });

  test('is in use by another server, which goes on serving', async () => {
    const first = await place.serve();
    const second = createWorkplace();
    try {
      expect(lineOf(await second.failToServe({ PORT: new URL(first.url).port }))).toContain('in use');
    } finally {
      await second.remove();
    }
    expect((await fetch(`${first.url}/healthz`)).status).toBe(200);
  });

  test.each(['PORT', 'ADMIN_PORT'])(
    '%s is in use: the edited file is not applied, and nothing is made',
    async (name) => {
      const config = place.write('gateway.yaml', testDocument('http://127.0.0.1:9/v1'));
      const first = await place.serve();
      const { port } = new URL(name === 'PORT' ? first.url : String(logged(first, 'operator_serving')[0]?.url));
      place.write('gateway.yaml', {
        ...testDocument('http://127.0.0.1:9/v1'),
        models: [upModel('up-new', { price: 'free' })],
      });
      const second = await place.failToServe({ [name]: port });
      expect(lineOf(second)).toBe(`cannot listen on 127.0.0.1:${port}: the port is in use; set ${name} to another one`);
      expect(second.stdout).toBe('');
      expect(JSON.parse((await place.gateway(['config', 'export', '--json'])).stdout).revision).toBe(1);

      const elsewhere = place.path('elsewhere');
      await place.failToServe({ [name]: port, DATA_DIR: elsewhere, GATEWAY_CONFIG: config });
      expect(existsSync(elsewhere)).toBe(false);
    },
  );
});

test('variables that are wrong are all named, before anything is made', async () => {
  const line = lineOf(await place.failToServe({ HOST: 'bad host', PORT: '9136', ADMIN_PORT: '9136' }));
  expect(line).toBe('HOST must be a host name or an address: bad host; ADMIN_PORT must be another port than PORT');
  expect(existsSync(place.dataDir)).toBe(false);
});

describe('the data folder', () => {
  test('has no room left for what a start writes', async () => {
    await startOnce();
    const models = Array.from({ length: 500 }, (_, index) => upModel(`up-${index}`, { price: 'free' }));
    const config = place.write('large.yaml', { ...testDocument('http://127.0.0.1:9/v1'), models });
    // A file that must not grow is a disk without room; the signal would kill, the error does not.
    const small = `trap '' XFSZ; ulimit -f 64; exec "$0" --no-env-file "$@"`;
    const { PATH = '' } = process.env;
    const { exitCode, stderr } = Bun.spawnSync(
      ['bash', '-c', small, process.execPath, join(import.meta.dir, '..', '..', '..', 'src', 'main.ts')],
      { env: { PATH, PORT: '0', ADMIN_PORT: '0', DATA_DIR: place.dataDir, GATEWAY_CONFIG: config } },
    );
    expect([exitCode, stderr.toString()]).toEqual([1, 'cannot start: store: disk I/O error\n']);
  });

  test('cannot be made', async () => {
    const file = place.write('a-file', '');
    for (const folder of [file, join(file, 'data')]) {
      expect(lineOf(await place.failToServe({ DATA_DIR: folder }))).toBe(
        `cannot use the data folder ${folder}: it, or a part of its path, is a file; set DATA_DIR to a folder`,
      );
    }
  });

  test('has a pepper that is cut short, empty or changed', async () => {
    await startOnce();
    const file = join(place.dataDir, 'pepper');
    const good = readFileSync(file, 'utf8');
    for (const damaged of ['\n', good.slice(0, 40), good.replace(/^./, 'x')]) {
      writeFileSync(file, damaged);
      const line = lineOf(await place.failToServe());
      expect(line).toContain(file);
      expect(line).toContain('damaged');
      expect(line).not.toContain(good.slice(1, 20));
    }
  });

  test('has a database but its pepper is gone: no new one is made in its place', async () => {
    await startOnce();
    const file = join(place.dataDir, 'pepper');
    rmSync(file);
    const line = lineOf(await place.failToServe());
    expect(line).toContain(file);
    expect(line).toContain('SECRETS_PEPPER');
  });
});

describe('the database', () => {
  const databaseFile = () => join(place.dataDir, 'gateway.sqlite');

  test('is from a newer version', async () => {
    await startOnce();
    const db = new Database(databaseFile());
    db.run("INSERT INTO schema_migrations (version, name, hash) VALUES (9999, 'from tomorrow', 'hash')");
    db.close();
    const line = lineOf(await place.failToServe());
    expect(line).toContain('newer version');
    expect(line).toContain('9999');
  });

  test('is no database', async () => {
    await startOnce();
    for (const end of ['-wal', '-shm']) rmSync(databaseFile() + end, { force: true });
    writeFileSync(databaseFile(), 'this is no database, whatever its name says\n'.repeat(50));
    expect(lineOf(await place.failToServe())).toContain(databaseFile());
  });
});

describe('the settings', () => {
  test('GATEWAY_CONFIG names a file that is not there', async () => {
    const line = lineOf(await place.failToServe({ GATEWAY_CONFIG: place.path('missing.yaml') }));
    expect(line).toContain('GATEWAY_CONFIG');
    expect(line).toContain(place.path('missing.yaml'));
  });

  test('GATEWAY_CONFIG names a folder', async () => {
    mkdirSync(place.path('folder'));
    expect(lineOf(await place.failToServe({ GATEWAY_CONFIG: 'folder' }))).toContain(place.path('folder'));
  });

  test('several are wrong: all of them in the one line', async () => {
    const line = lineOf(
      await place.failToServe({ PORT: '99999', PUBLIC_URL: 'nowhere', TRUSTED_PROXIES: '10.0.0.0/99', HOST: '' }),
    );
    for (const name of ['PORT', 'PUBLIC_URL', 'TRUSTED_PROXIES']) expect(line).toContain(name);
  });

  test('a secret among them is not repeated', async () => {
    const line = lineOf(await place.failToServe({ SECRETS_PEPPER: 'too-short' }));
    expect(line).toContain('SECRETS_PEPPER');
    expect(line).not.toContain('too-short');
  });
});

test('a file with faults and no revision to start on: every fault by its path', async () => {
  const file = place.write(
    'gateway.yaml',
    'channels: [{name: demo, kind: demo, speed: 9}]\nmodels: [{id: X, price: free, routes: [{channel: gone, model: m}]}]\n',
  );
  const { exitCode, stderr } = await place.failToServe();
  expect(exitCode).toBe(1);
  const [head, ...faults] = stderr.trimEnd().split('\n');
  expect(head).toStartWith('cannot start: ');
  expect(head).toContain(file);
  expect(faults.map((line) => line.trim().replace(/: .*/, ''))).toEqual([
    'channels[0].speed',
    'models[0].id',
    'models[0].routes[0].channel',
  ]);
});
