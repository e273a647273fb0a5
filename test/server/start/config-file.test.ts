// When a running or restarted server takes the file, and when not.

import { Database } from 'bun:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Answer } from '../../support/answer.ts';
import { eventually } from '../../support/eventually.ts';
import { plainDocument } from '../../support/plain-document.ts';
import { createWorkplace, logged, type RunningServer, type Workplace } from '../../support/start-process.ts';
import { withTables } from '../../support/with-tables.ts';

let place: Workplace;
beforeEach(() => {
  place = createWorkplace();
});
afterEach(() => place.remove());

/** A valid document that can be told from others by the name of a model. */
function named(name: string) {
  const document = plainDocument();
  document.models[0] = { ...document.models[0], name };
  return document;
}

const catalogOf = async (server: RunningServer): Promise<Answer> =>
  (await fetch(`${server.url}/api/public/catalog`)).json();

async function shown(server: RunningServer): Promise<string> {
  const { revision, data } = await catalogOf(server);
  return `${revision} ${data[0].name}`;
}

function actionsIn(file: string): string[] {
  return withTables(file, (db) =>
    db
      .query<Record<string, string>, []>('SELECT actor, action, subject, detail FROM audit_log ORDER BY action_id')
      .all()
      .map((row) => Object.values(row).join(' ')),
  );
}

async function stop(server: RunningServer): Promise<void> {
  server.signal('SIGTERM');
  expect((await server.ended).exitCode).toBe(0);
}

/** Begun before all tests, because a reload waits for seconds at a lock. */
const lockedPlace = createWorkplace();
let reloadedAtLock: Promise<{ detail: unknown; shown: string }>;
beforeAll(() => {
  reloadedAtLock = reloadAtLock();
  // It is told by the test that waits for it.
  reloadedAtLock.catch(() => {});
});
afterAll(() => lockedPlace.remove());

async function reloadAtLock() {
  const server = await lockedPlace.serve({ GATEWAY_CONFIG: lockedPlace.write('server.yaml', named('good')) });
  const lock = new Database(`${lockedPlace.dataDir}/gateway.sqlite`, { readwrite: true });
  try {
    lock.run('PRAGMA busy_timeout = 5000');
    lock.run('BEGIN IMMEDIATE');
    server.signal('SIGHUP');
    const [line] = await eventually('the refusal', () => {
      const lines = logged(server, 'reload_failed');
      return lines.length > 0 && lines;
    });
    return { detail: line?.detail, shown: await shown(server) };
  } finally {
    lock.close();
  }
}

describe('at a start', () => {
  test('./gateway.yaml is taken when it is there and GATEWAY_CONFIG says nothing', async () => {
    place.write('gateway.yaml', named('local'));
    expect(await shown(await place.serve())).toBe('1 local');
  });

  test('without a file there is auto:free and a paid model', async () => {
    const { revision, data } = await catalogOf(await place.serve());
    expect(revision).toBe(1);
    expect(data.map((model: Answer) => [model.id, model.free])).toEqual([
      ['auto:free', true],
      ['demo-small', false],
    ]);
  });

  test('a variable of a provider adds its channel, until an edit was applied: then a warning says that it does not', async () => {
    const warnings = (server: RunningServer) => logged(server, 'config_warning').map(({ detail }) => detail);
    const one = { OPENAI_API_KEY: 'fake' };
    const two = { ...one, GEMINI_API_KEY: 'fake' };
    const without = await place.serve();
    expect(logged(without, 'config_applied')).toMatchObject([{ revision: 1, channels: 'demo' }]);
    await stop(without);
    const first = await place.serve(one);
    expect(logged(first, 'config_applied')).toMatchObject([{ revision: 2, channels: 'demo,openai' }]);
    expect((await catalogOf(first)).data.map(({ id }: Answer) => id)).toContain('gpt-5');
    expect(warnings(first)).toEqual([]);
    await stop(first);
    const { stdout } = await place.gateway(['config', 'export']);
    const edited = place.write('edited.yaml', stdout.replace('Demo small', 'Demo smaller'));
    expect((await place.gateway(['config', 'apply', edited], one)).exitCode).toBe(0);
    const second = await place.serve(two);
    expect((await catalogOf(second)).data.map(({ id }: Answer) => id)).not.toContain('gemini-3.8-flash');
    expect(warnings(second)).toEqual([
      expect.stringContaining(
        'GEMINI_API_KEY is set, but revision 3 is not the embedded default: it adds nothing; add',
      ),
    ]);
    await stop(second);
    // A file says itself what there is.
    const third = await place.serve({ ...two, GATEWAY_CONFIG: edited });
    expect(warnings(third)).toEqual([]);
  });

  test('what was applied by hand since stays, while the file is unchanged', async () => {
    const env = { GATEWAY_CONFIG: place.write('server.yaml', named('server')) };
    await stop(await place.serve(env));
    await place.gateway(['config', 'apply', place.write('by-hand.yaml', named('by hand'))], env);
    const second = await place.serve(env);
    expect(await shown(second)).toBe('2 by hand');
    await stop(second);
    place.write('server.yaml', named('server, changed'));
    expect(await shown(await place.serve(env))).toBe('3 server, changed');
  });

  test("the server's own file applied by hand is not applied again", async () => {
    const env = { GATEWAY_CONFIG: place.write('server.yaml', named('first')) };
    await stop(await place.serve(env));
    place.write('server.yaml', named('second'));
    await place.gateway(['config', 'apply', 'server.yaml'], env);
    expect(await shown(await place.serve(env))).toBe('2 second');
  });

  test('nor is it when it was applied from another folder; put back to an older text, it is', async () => {
    const file = place.write('server.yaml', named('first'));
    const env = { GATEWAY_CONFIG: file };
    const first = await place.serve(env);
    expect(logged(first, 'config_applied')).toMatchObject([{ level: 'info', file, revision: 1 }]);
    await stop(first);
    place.write('server.yaml', named('second'));
    // This command does not know which file is the server's.
    await place.gateway(['config', 'apply', 'server.yaml']);
    const second = await place.serve(env);
    expect(await shown(second)).toBe('2 second');
    expect(logged(second, 'config_applied')).toEqual([]);
    await place.gateway(['config', 'apply', place.write('edited.yaml', named('second, edited'))]);
    await stop(second);
    const third = await place.serve(env);
    expect(await shown(third)).toBe('4 second');
    expect(logged(third, 'config_applied')).toMatchObject([{ file, revision: 4 }]);
  });

  test('a bad file: the last good revision, and one clear line', async () => {
    const env = { GATEWAY_CONFIG: place.write('server.yaml', named('good')) };
    await stop(await place.serve(env));
    place.write('server.yaml', { ...named('bad'), limits: { in_flight: -1 }, extra: 1 });
    const server = await place.serve(env);
    expect(await shown(server)).toBe('1 good');
    const lines = logged(server, 'config_rejected');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level: 'alarm', file: place.path('server.yaml') });
    expect(lines[0]?.detail).toContain('limits.in_flight: ');
    expect(lines[0]?.detail).toContain('extra: unknown field');
    await stop(server);
    expect(server.stderr()).toBe('');
  });
});

describe('while it runs', () => {
  test('SIGHUP applies the file again', async () => {
    const env = { GATEWAY_CONFIG: place.write('server.yaml', named('first')) };
    const server = await place.serve(env);
    place.write('server.yaml', named('second'));
    expect(await shown(server)).toBe('1 first');
    server.signal('SIGHUP');
    await eventually('the second document', async () => (await shown(server)) === '2 second');
    await place.gateway(['config', 'apply', place.write('third.yaml', named('third'))], env);
    // Who made each, and which it was: the start, the signal, the command line.
    expect(actionsIn(`${place.dataDir}/gateway.sqlite`)).toEqual([
      'server config.apply catalog {"revision":1}',
      'server config.apply catalog {"revision":2}',
      'cli config.apply catalog {"revision":3}',
    ]);
  });

  test('what a file undoes is told: by config apply, SIGHUP and the next start', async () => {
    const priced = (input: number) => {
      const document = plainDocument();
      document.models[1] = { ...document.models[1], price: { input, output: 65 } };
      return place.write('gateway.yaml', document);
    };
    const inConsole = (server: RunningServer, base: number) =>
      fetch(`${logged(server, 'operator_serving')[0]?.url}/api/admin/prices`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${readFileSync(`${place.dataDir}/admin-token`, 'utf8').trim()}` },
        body: JSON.stringify({ edits: [{ model: 'paid', sale: { input: 9 } }], base_revision: base }),
      });
    const replaces = (revision: number) =>
      `replaces revision ${revision}, made by the console or the operator's API: edits made there are lost unless this document contains them`;
    const told = (server: RunningServer) =>
      logged(server, 'config_warning').map(({ level, revision, detail }) => [level, revision, detail]);

    const file = priced(8);
    const server = await place.serve();
    expect((await inConsole(server, 1)).status).toBe(200);
    expect((await place.gateway(['config', 'apply', file])).stderr).toBe(`warning: ${replaces(2)}\n`);
    expect((await inConsole(server, 3)).status).toBe(200);
    priced(90);
    server.signal('SIGHUP');
    await eventually('both warnings', () => told(server).length === 2);
    const jump = 'models[1].price.input: paid: the price changes from NT$9 to NT$90';
    expect(told(server)).toEqual([
      ['warn', 5, replaces(4)],
      ['warn', 5, jump],
    ]);
    await stop(server);
    priced(9);
    const second = await place.serve();
    expect(told(second)).toEqual([['warn', 6, 'models[1].price.input: paid: the price changes from NT$90 to NT$9']]);
  });

  test('SIGHUP with a bad file changes nothing, and the server goes on', async () => {
    const env = { GATEWAY_CONFIG: place.write('server.yaml', named('good')) };
    const server = await place.serve(env);
    place.write('server.yaml', 'channels: [');
    server.signal('SIGHUP');
    await eventually('the refusal', () => logged(server, 'config_rejected').length === 1);
    expect(await shown(server)).toBe('1 good');
    place.write('server.yaml', named('better'));
    server.signal('SIGHUP');
    await eventually('the better document', async () => (await shown(server)) === '2 better');
  });

  test('SIGHUP when the file is gone changes nothing, and the server goes on', async () => {
    const env = { GATEWAY_CONFIG: place.write('server.yaml', named('good')) };
    const server = await place.serve(env);
    await Bun.file(place.path('server.yaml')).delete();
    server.signal('SIGHUP');
    const [line] = await eventually('the refusal', () => {
      const lines = logged(server, 'reload_failed');
      return lines.length > 0 && lines;
    });
    expect(line?.detail).toBe(`cannot read ${place.path('server.yaml')}: it does not exist`);
    expect(await shown(server)).toBe('1 good');
  });

  test('SIGHUP while the database cannot be written says so, and the server goes on', async () => {
    expect(await reloadedAtLock).toEqual({ detail: 'store: database is locked', shown: '1 good' });
  });

  test('SIGHUP finds a ./gateway.yaml that was made after the start, and says so while there is none', async () => {
    const server = await place.serve();
    server.signal('SIGHUP');
    const [line] = await eventually('the refusal', () => {
      const lines = logged(server, 'reload_failed');
      return lines.length > 0 && lines;
    });
    expect(line?.detail).toBe('there is no catalog file');
    const file = place.write('gateway.yaml', named('made later'));
    server.signal('SIGHUP');
    await eventually('the file', async () => (await shown(server)) === '2 made later');
    await eventually('the log says so', () => logged(server, 'config_applied').some((one) => one.file === file));
  });

  test('config apply in another process is followed', async () => {
    const server = await place.serve();
    const applied = await place.gateway(['config', 'apply', place.write('new.yaml', named('from outside'))]);
    expect(applied.exitCode).toBe(0);
    await eventually('the new document', async () => (await shown(server)) === '2 from outside');
  });
});
