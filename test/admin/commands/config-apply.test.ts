import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import { plainDocument } from '../../support/plain-document.ts';
import { createWorkplace, type Workplace } from '../../support/start-process.ts';

let place: Workplace;
beforeEach(() => {
  place = createWorkplace();
});
afterEach(() => place.remove());

const SECRET = 'sk-fake-literal-secret';

function withSecret(secret: string) {
  const document = plainDocument();
  document.channels[1] = { ...document.channels[1], api_key: secret };
  return document;
}

describe('config apply', () => {
  test('makes one revision after the other, and says which', async () => {
    const file = place.write('a.yaml', plainDocument());
    expect(await place.gateway(['config', 'apply', file])).toEqual({
      exitCode: 0,
      stdout: `applied as revision 1, in a new database at ${place.dataDir}/gateway.sqlite\n`,
      stderr: '',
    });
    const second = await place.gateway(['config', 'apply', file, '--json']);
    expect(second.exitCode).toBe(0);
    expect(JSON.parse(second.stdout)).toEqual({ ok: true, revision: 2, warnings: [] });
    const elsewhere = await place.gateway(['config', 'apply', file, '--json'], { DATA_DIR: place.path('other') });
    expect(JSON.parse(elsewhere.stdout)).toMatchObject({ revision: 1, made: place.path('other/gateway.sqlite') });
  });

  test('refuses a bad file and leaves the last good one', async () => {
    await place.gateway(['config', 'apply', place.write('good.yaml', plainDocument())]);
    const bad = place.write('bad.yaml', { ...plainDocument(), limits: { in_flight: -1 } });
    const { exitCode, stdout, stderr } = await place.gateway(['config', 'apply', bad]);
    expect(exitCode).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toStartWith('limits.in_flight: ');
    const { stdout: exported } = await place.gateway(['config', 'export', '--json']);
    expect(JSON.parse(exported).revision).toBe(1);
  });

  test('a missing file is refused before anything is made', async () => {
    const { exitCode, stderr } = await place.gateway(['config', 'apply', 'missing.yaml']);
    expect(exitCode).toBe(1);
    expect(stderr).toBe('cannot read missing.yaml: it does not exist\n');
    expect(existsSync(place.dataDir)).toBe(false);
  });

  test('a reference that leads to nothing is told, and applied all the same', async () => {
    const file = place.write('doubtful.yaml', withSecret('env:ZZ_UP_KEY'));
    const { exitCode, stdout, stderr } = await place.gateway(['config', 'apply', file]);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^applied as revision 1, in a new database /)]);
    expect(stderr).toMatch(/^warning: channels\[1\]\.api_key: ZZ_UP_KEY is not set .+\n$/);
    const second = await place.gateway(['config', 'apply', file, '--json']);
    expect(JSON.parse(second.stdout)).toMatchObject({ revision: 2, warnings: [{ path: 'channels[1].api_key' }] });
  });

  test('a change that may be a slip is told in the words of the API, and applied all the same', async () => {
    const apply = (name: string, document: unknown) =>
      place.gateway(['config', 'apply', place.write(name, document), ...(name.endsWith('.json') ? ['--json'] : [])]);
    await apply('first.yaml', plainDocument());
    const document = plainDocument();
    document.models[1] = { ...document.models[1], price: { input: 812.5, output: 6.5 } };
    expect(await apply('dear.yaml', document)).toEqual({
      exitCode: 0,
      stdout: 'applied as revision 2\n',
      stderr:
        'warning: models[1].price.input: paid: the price changes from NT$8.125 to NT$812.5\n' +
        'warning: models[1].price.output: paid: the price changes from NT$65 to NT$6.5\n',
    });
    document.models[1] = { ...document.models[1], price: 'free' };
    document.channels[1] = { ...document.channels[1], enabled: false };
    const { stdout, stderr } = await apply('free.json', document);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({
      revision: 3,
      warnings: [{ code: 'became_free', subject: 'paid' }, { code: 'last_route_lost' }],
    });
    // What became of it is what stands there now: nothing changes any more.
    expect((await apply('again.yaml', document)).stderr).toBe('');
    const guards = { usage_months: 1, suspend_unused_days: 30 };
    expect((await apply('short.yaml', { ...document, guards })).stderr).toBe(
      'warning: guards.usage_months: usage is kept for 1 month instead of 24 months: older usage is deleted permanently within the hour\n' +
        'warning: guards.suspend_unused_days: unused keys are revoked after 30 days (before: never), starting within the hour, in accounts that were never topped up\n',
    );
  });

  test('<kept> without a stored secret is refused, together with every other fault', async () => {
    const file = place.write('kept.yaml', { ...withSecret('<kept>'), limits: { in_flight: -1 } });
    const { exitCode, stderr } = await place.gateway(['config', 'apply', file]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('channels[1].api_key: ');
    expect(stderr).toContain('limits.in_flight: ');
  });

  test.each([
    ['with a fault', { ...plainDocument(), limits: { in_flight: -1 } }, 'limits.in_flight: '],
    ['with nothing to keep', withSecret('<kept>'), 'channels[1].api_key: '],
  ])('a document %s makes no database', async (_, document, told) => {
    const { exitCode, stdout, stderr } = await place.gateway(['config', 'apply', place.write('bad.yaml', document)]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toStartWith(told);
    expect(existsSync(place.dataDir)).toBe(false);
  });
});

describe('a file in another encoding', () => {
  const yaml =
    'channels: [{name: demo, kind: demo}]\nmodels: [{id: auto:free, name: NAME, price: free, routes: [{channel: demo, model: demo}]}]\n';
  const [before = '', after = ''] = yaml.split('NAME');
  const utf16 = Buffer.from(`\ufeff${yaml}`, 'utf16le');

  test.each([
    ['Big5', Buffer.concat([Buffer.from(before), Buffer.from([0xa4, 0xa4, 0xa4, 0xe5]), Buffer.from(after)])],
    ['UTF-16', utf16],
    ['UTF-16 without its mark', utf16.subarray(2)],
    ['UTF-16, the bytes the other way round', Buffer.from(utf16).swap16()],
  ])('%s is refused with what to do', async (_, bytes) => {
    writeFileSync(place.path('other.yaml'), bytes);
    for (const command of ['check', 'apply']) {
      expect(await place.gateway(['config', command, 'other.yaml'])).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: 'the document is not UTF-8: save the file as UTF-8\n',
      });
    }
  });

  test('UTF-8 is good with its mark and without', async () => {
    for (const mark of ['', '\ufeff']) {
      place.write('good.yaml', mark + yaml.replace('NAME', '中文'));
      expect((await place.gateway(['config', 'apply', 'good.yaml'])).exitCode).toBe(0);
      expect((await place.gateway(['config', 'export'])).stdout).toContain('name: 中文');
    }
  });
});

describe('config export', () => {
  test('prints the document for people, <kept> in place of secrets', async () => {
    await place.gateway(['config', 'apply', place.write('a.yaml', withSecret(SECRET))]);
    const { exitCode, stdout, stderr } = await place.gateway(['config', 'export']);
    expect(exitCode).toBe(0);
    expect(stderr).toBe('');
    expect(parse(stdout)).toEqual(withSecret('<kept>'));
  });

  test('what it prints can be applied, and the secret is still the same', async () => {
    const a = withSecret(SECRET);
    await place.gateway(['config', 'apply', place.write('a.yaml', a)]);
    const { stdout } = await place.gateway(['config', 'export']);
    const again = await place.gateway(['config', 'apply', place.write('b.yaml', stdout)]);
    expect(again).toEqual({ exitCode: 0, stdout: 'applied as revision 2\n', stderr: '' });
    expect((await place.gateway(['config', 'export'])).stdout).toBe(stdout);
  });

  test('--json: revision and document', async () => {
    await place.gateway(['config', 'apply', place.write('a.yaml', withSecret('env:UP_KEY'))]);
    const { stdout } = await place.gateway(['config', 'export', '--json']);
    const { revision, document } = JSON.parse(stdout);
    expect(revision).toBe(1);
    expect(parse(document)).toEqual(withSecret('env:UP_KEY'));
  });

  test('a large document arrives whole through a pipe', async () => {
    const document = plainDocument();
    const description = { en: 'x'.repeat(600) };
    for (let at = 0; at < 500; at++) document.models.push({ ...document.models[0], id: `model-${at}`, description });
    await place.gateway(['config', 'apply', place.write('large.yaml', document)]);
    const { stdout } = await place.gateway(['config', 'export']);
    expect(stdout.length).toBeGreaterThan(256 * 1024);
    expect(stdout.slice(-1_000)).toContain('model-499');
    expect(stdout.slice(-1)).toBe('\n');
  });

  test('without a revision: exit 1 and what to do', async () => {
    // What a first start that was refused leaves behind.
    await place.failToServe({ GATEWAY_CONFIG: place.write('bad.yaml', 'channels: [') });
    const { exitCode, stdout, stderr } = await place.gateway(['config', 'export']);
    expect(exitCode).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^there is no revision yet: .+\n$/);
  });
});

describe('settings that cannot be used', () => {
  test('exit 1 and one line, for a bad variable', async () => {
    const { exitCode, stdout, stderr } = await place.gateway(['config', 'export'], { PORT: 'eighty' });
    expect(exitCode).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toBe('PORT must be a port number\n');
  });

  test('exit 1 and one line, for a data folder that cannot be', async () => {
    const file = place.write('a-file', '');
    const { exitCode, stderr } = await place.gateway(['config', 'export'], { DATA_DIR: `${file}/data` });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^cannot use the data folder .+\n$/);
    expect(stderr.trimEnd()).not.toContain('\n');
  });

  test('--json: as JSON', async () => {
    const { stderr } = await place.gateway(['config', 'export', '--json'], { PORT: 'eighty' });
    expect(JSON.parse(stderr)).toEqual({ error: 'PORT must be a port number' });
  });
});
