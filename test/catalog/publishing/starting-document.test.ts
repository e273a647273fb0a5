// Which document a starting server uses, on a real database file.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyDocument, type PublishingTools } from '../../../src/catalog/publishing/apply-document.ts';
import { applyStartingDocument, catalogBeforeStart } from '../../../src/catalog/publishing/starting-document.ts';
import { systemRandom } from '../../../src/kit/random.ts';
import { createSealer } from '../../../src/kit/sealed.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { plainDocument, ROUTE } from '../../support/plain-document.ts';

let folder: string;
let tools: PublishingTools;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-publishing-'));
  const clock = createManualClock();
  const store = await openSqliteStore({ file: join(folder, 'gateway.sqlite'), clock });
  tools = { store, clock, sealer: createSealer('a-pepper-for-tests-only', systemRandom) };
});
afterEach(async () => {
  await tools.store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A valid document that can be told from others by one limit. */
const documentOf = (inFlight: number) => JSON.stringify({ ...plainDocument(), limits: { in_flight: inFlight } });
const EMBEDDED = documentOf(1);
const FILE = documentOf(2);
const OTHER_FILE = documentOf(3);
const BAD_FILE = documentOf(-1);

const start = (file: string | undefined, embedded = EMBEDDED) => applyStartingDocument(tools, file, embedded);

async function newest(): Promise<{ revision: number; inFlight: number; source: string }> {
  const revision = await tools.store.read.newestRevision();
  if (!revision) throw new Error('there is no revision');
  return {
    revision: revision.revision,
    inFlight: JSON.parse(revision.document).limits.in_flight,
    source: revision.source,
  };
}

describe('with a file', () => {
  test('the first start applies it', async () => {
    expect(await start(FILE)).toMatchObject({ ok: true, applied: { revision: 1 } });
    expect(await newest()).toEqual({ revision: 1, inFlight: 2, source: 'file' });
  });

  test('the next start leaves an unchanged file alone', async () => {
    await start(FILE);
    expect(await start(FILE)).toEqual({ ok: true, applied: undefined });
    expect((await newest()).revision).toBe(1);
  });

  test('a changed file makes a new revision', async () => {
    await start(FILE);
    expect(await start(OTHER_FILE)).toMatchObject({ ok: true, applied: { revision: 2 } });
    expect(await newest()).toMatchObject({ revision: 2, inFlight: 3 });
  });

  test('a file changed and changed back is applied both times', async () => {
    await start(FILE);
    await start(OTHER_FILE);
    expect(await start(FILE)).toMatchObject({ ok: true, applied: { revision: 3 } });
    expect(await newest()).toMatchObject({ revision: 3, inFlight: 2 });
  });

  test('any change counts, also one of space: the hash is of the bytes', async () => {
    await start(FILE);
    expect(await start(`${FILE}\n`)).toMatchObject({ ok: true, applied: { revision: 2 } });
  });

  test('an edit made by other means survives a start with the unchanged file', async () => {
    await start(FILE);
    await applyDocument(tools, OTHER_FILE, 'operator', 'token');
    expect(await start(FILE)).toEqual({ ok: true, applied: undefined });
    expect(await newest()).toEqual({ revision: 2, inFlight: 3, source: 'operator' });
  });

  test('and gives way to the file when that changes', async () => {
    await start(FILE);
    await applyDocument(tools, OTHER_FILE, 'operator', 'token');
    expect(await start(documentOf(4))).toMatchObject({
      applied: {
        warnings: [{ message: expect.stringMatching(/^replaces revision 2, made by the console or .+ are lost/) }],
      },
    });
    expect(await newest()).toMatchObject({ revision: 3, inFlight: 4, source: 'file' });
  });

  test('nothing is told where the file says what the edit said', async () => {
    await start(FILE);
    await applyDocument(tools, OTHER_FILE, 'operator', 'token');
    expect(await start(`${OTHER_FILE}\n`)).toMatchObject({ ok: true, applied: { revision: 3, warnings: [] } });
  });

  test('nor is it applied again when the command line applied its text, and the console edited it since', async () => {
    await start(FILE);
    await applyDocument(tools, OTHER_FILE, 'operator', 'cli');
    await applyDocument(tools, documentOf(4), 'operator', 'token');
    expect(await start(OTHER_FILE)).toEqual({ ok: true, applied: undefined });
    expect(await newest()).toMatchObject({ revision: 3, inFlight: 4 });
  });

  test('a file that is put back to what the command line applied before its last is applied', async () => {
    await start(FILE);
    await applyDocument(tools, OTHER_FILE, 'operator', 'cli');
    await applyDocument(tools, documentOf(4), 'operator', 'cli');
    expect(await start(OTHER_FILE)).toMatchObject({ ok: true, applied: { revision: 4 } });
    expect(await newest()).toMatchObject({ inFlight: 3, source: 'file' });
  });

  test('what the command line applied before another file counts no more', async () => {
    await applyDocument(tools, OTHER_FILE, 'operator', 'cli');
    await start(FILE);
    expect(await start(OTHER_FILE)).toMatchObject({ ok: true, applied: { revision: 3 } });
  });

  test('what the command line applied stays while the file does', async () => {
    await start(FILE);
    await applyDocument(tools, OTHER_FILE, 'operator', 'cli');
    expect(await start(FILE)).toEqual({ ok: true, applied: undefined });
    expect(await newest()).toMatchObject({ revision: 2, inFlight: 3 });
  });

  test('it replaces an embedded default, of which nobody misses what was not used', async () => {
    const { models, ...rest } = plainDocument();
    const more = { id: 'more', price: 'free', routes: [ROUTE] };
    await start(undefined, JSON.stringify({ ...rest, models: [...models, more] }));
    expect(await start(FILE)).toMatchObject({ ok: true, applied: { revision: 2, warnings: [] } });
  });
});

describe('with a bad file', () => {
  test('and no revision there is nothing to start on, and every fault is told', async () => {
    const bad = JSON.stringify({ ...plainDocument(), limits: { in_flight: -1, unknown: 1 } });
    const started = await start(bad);
    if (started.ok) throw new Error('a bad file was accepted');
    expect(started.faults.map(({ path }) => path)).toEqual(['limits.in_flight', 'limits.unknown']);
    expect(await tools.store.read.newestRevision()).toBeUndefined();
  });

  test('the last good revision stays, and the faults are told', async () => {
    await start(FILE);
    const started = await start(BAD_FILE);
    expect(started).toMatchObject({ ok: true, applied: undefined, rejected: [{ path: 'limits.in_flight' }] });
    expect(await newest()).toEqual({ revision: 1, inFlight: 2, source: 'file' });
  });

  test('once corrected, it is applied', async () => {
    await start(FILE);
    await start(BAD_FILE);
    expect(await start(OTHER_FILE)).toMatchObject({ ok: true, applied: { revision: 2 } });
  });

  test('put back to the last good one, it changes nothing', async () => {
    await start(FILE);
    await start(BAD_FILE);
    expect(await start(FILE)).toEqual({ ok: true, applied: undefined });
  });
});

describe('without a file', () => {
  test('the first start is on the embedded default', async () => {
    expect(await start(undefined)).toMatchObject({ ok: true, applied: { revision: 1 } });
    expect(await newest()).toEqual({ revision: 1, inFlight: 1, source: 'default' });
  });

  test('an unchanged default is applied once', async () => {
    await start(undefined);
    expect(await start(undefined)).toEqual({ ok: true, applied: undefined });
  });

  test('a changed default replaces a default, as when a provider variable was set', async () => {
    await start(undefined);
    expect(await start(undefined, OTHER_FILE)).toMatchObject({ ok: true, applied: { revision: 2 } });
    expect(await newest()).toEqual({ revision: 2, inFlight: 3, source: 'default' });
  });

  test.each(['file', 'operator'] as const)('it never replaces what came as %s', async (source) => {
    await start(undefined);
    await applyDocument(tools, FILE, source, 'token');
    expect(await start(undefined, OTHER_FILE)).toEqual({ ok: true, applied: undefined });
    expect(await newest()).toEqual({ revision: 2, inFlight: 2, source });
  });
});

test('a revision that is applied is stored with its secrets sealed and the hash of its text', async () => {
  const document = plainDocument();
  document.channels[1] = { ...document.channels[1], api_key: 'sk-fake-literal-secret' };
  const text = JSON.stringify(document);
  await applyDocument(tools, text, 'operator', 'token');
  const stored = await tools.store.read.newestRevision();
  expect(stored?.document).not.toContain('sk-fake');
  expect(stored?.sourceHash).toBe(new Bun.CryptoHasher('sha256').update(text).digest('hex'));
});

describe('while no database can be asked', () => {
  const shown = (file: string | undefined) => {
    const { revision, updatedAt, limits, models } = catalogBeforeStart(file, EMBEDDED, 7);
    return { revision, updatedAt, inFlight: limits.in_flight, models: models.length };
  };
  const { length: all } = plainDocument().models as object[];

  test('the file is shown, or the embedded default', () => {
    expect(shown(FILE)).toEqual({ revision: 0, updatedAt: 7, inFlight: 2, models: all });
    expect(shown(undefined)).toEqual({ revision: 0, updatedAt: 7, inFlight: 1, models: all });
  });

  test('of a file with faults nothing is shown', () => {
    expect(shown(BAD_FILE)).toMatchObject({ revision: 0, models: 0 });
  });
});
