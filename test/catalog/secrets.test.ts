import { describe, expect, test } from 'bun:test';
import { parse } from 'yaml';
import {
  checkKeptSecrets,
  exportDocument,
  rollBackDocument,
  sealDocument,
} from '../../src/catalog/document-secrets.ts';
import { readDocument } from '../../src/catalog/read-document.ts';
import { systemRandom } from '../../src/kit/random.ts';
import { createSealer } from '../../src/kit/sealed.ts';
import { plainDocument } from '../support/plain-document.ts';

const SECRET = 'sk-fake-literal-secret';
const sealer = createSealer('a-pepper-for-tests-only', systemRandom);

type Channels = { channels: { name: string; api_key?: string }[] };

function withSecrets(secrets: Record<string, string>) {
  const channels = Object.entries(secrets).map(([name, secret]) => ({
    name,
    kind: 'openai',
    base_url: 'http://upstream.test/v1',
    api_key: secret,
  }));
  const { channels: others, ...rest } = plainDocument();
  return { ...rest, channels: [...others, ...channels] };
}

const secretOf = (document: unknown, name: string) =>
  (document as Channels).channels.find((channel) => channel.name === name)?.api_key;
const stored = (document: unknown, before?: string) => sealDocument(document, sealer, before);

describe('at rest', () => {
  test('a literal is sealed for its channel, and nowhere in the clear', () => {
    const text = stored(withSecrets({ main: SECRET }));
    expect(text).not.toContain(SECRET);
    expect(sealer.open(secretOf(JSON.parse(text), 'main') ?? '', 'main')).toBe(SECRET);
    expect(sealer.open(secretOf(JSON.parse(text), 'main') ?? '', 'up')).toBeUndefined();
  });

  test('references are stored as they are', () => {
    const text = stored(withSecrets({ a: 'env:OPENAI_API_KEY', b: 'file:/run/secrets/key' }));
    expect(secretOf(JSON.parse(text), 'a')).toBe('env:OPENAI_API_KEY');
    expect(secretOf(JSON.parse(text), 'b')).toBe('file:/run/secrets/key');
  });

  test('a literal that looks sealed is sealed like any other', () => {
    const text = stored(withSecrets({ main: 'sealed:fake' }));
    expect(sealer.open(secretOf(JSON.parse(text), 'main') ?? '', 'main')).toBe('sealed:fake');
  });

  test('the stored document means the same document', () => {
    const document = withSecrets({ main: SECRET });
    const before = readDocument(JSON.stringify(document));
    const after = readDocument(stored(document));
    if (!before.ok || !after.ok) throw new Error('both are valid');
    expect(after.document.models).toEqual(before.document.models);
    expect(after.document.limits).toEqual(before.document.limits);
  });
});

describe('exported', () => {
  test('literals are <kept>, references are shown, the rest is the document', () => {
    const document = withSecrets({ main: SECRET, other: 'env:OTHER_KEY' });
    const text = exportDocument(stored(document));
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('sealed:');
    expect(parse(text)).toEqual(withSecrets({ main: '<kept>', other: 'env:OTHER_KEY' }));
  });

  test('it is YAML that can be applied again, also where text looks like something else', () => {
    const document = withSecrets({ main: SECRET });
    document.models[0] = { ...document.models[0], name: 'yes: "no" #1 \n null' };
    document.models[1] = { ...document.models[1], name: '1e3' };
    const read = readDocument(exportDocument(stored(document)));
    if (!read.ok) throw new Error('an export is valid');
    expect(read.document.models.map(({ name }) => name)).toEqual(['yes: "no" #1 \n null', '1e3']);
  });
});

describe('<kept>', () => {
  test('an export applied again keeps each secret as it was', () => {
    const first = stored(withSecrets({ main: SECRET, other: 'env:OTHER_KEY' }));
    const exported = parse(exportDocument(first));
    expect(checkKeptSecrets(exported, first)).toEqual([]);
    expect(JSON.parse(stored(exported, first))).toEqual(JSON.parse(first));
  });

  test('keeps a reference, too', () => {
    const first = stored(withSecrets({ main: 'env:MAIN_KEY' }));
    const second = stored(withSecrets({ main: '<kept>' }), first);
    expect(secretOf(JSON.parse(second), 'main')).toBe('env:MAIN_KEY');
  });

  test('keeps one and takes a new one beside it', () => {
    const first = stored(withSecrets({ a: SECRET, b: SECRET }));
    const second = stored(withSecrets({ a: '<kept>', b: 'sk-fake-new' }), first);
    expect(secretOf(JSON.parse(second), 'a')).toBe(secretOf(JSON.parse(first), 'a'));
    expect(sealer.open(secretOf(JSON.parse(second), 'b') ?? '', 'b')).toBe('sk-fake-new');
  });

  test.each([
    ['there is no revision', undefined],
    ['the channel is new', stored(withSecrets({ other: SECRET }))],
    ['the channel had no secret', stored(withSecrets({})).replaceAll('"up"', '"main"')],
  ])('is refused by its path where %s', (_, before) => {
    expect(checkKeptSecrets(withSecrets({ main: '<kept>' }), before)).toEqual([
      { path: 'channels[2].api_key', message: expect.stringContaining('no stored secret') },
    ]);
  });

  test('a channel renamed loses its secret: it was sealed for the old name', () => {
    const first = stored(withSecrets({ old: SECRET }));
    expect(checkKeptSecrets(withSecrets({ new: '<kept>' }), first)).toHaveLength(1);
  });

  test('nonsense in place of a document is none of its business', () => {
    for (const raw of [undefined, null, 5, 'x', [], {}, { channels: 5 }, { channels: [null, 5, {}] }]) {
      expect(checkKeptSecrets(raw, undefined)).toEqual([]);
    }
  });
});

describe('an old document on its way back', () => {
  const at = (host: string, secret: string | undefined, rest: object = {}) =>
    stored({ channels: [{ name: 'main', kind: 'openai', base_url: `https://${host}/v1`, api_key: secret, ...rest }] });
  const old = at('a.test', SECRET);
  const messages = { anthropic_base_url: 'https://b.test' };

  test.each([
    ['a newer literal', old, at('a.test', 'sk-fake-newer')],
    ['a reference', old, at('a.test', 'env:UP_KEY')],
    ['one for more hosts', old, at('a.test', 'sk-fake-newer', messages)],
  ])('has %s of the newest', (_, before, newest) => {
    const { stored: back, returned } = rollBackDocument(before, newest);
    expect(secretOf(JSON.parse(back), 'main')).toBe(secretOf(JSON.parse(newest), 'main'));
    expect(returned).toEqual([]);
  });

  test.each([
    ['has none', old, at('a.test', undefined)],
    ['has no such channel', old, stored({ channels: [] })],
    ['has one for another host', old, at('b.test', 'sk-fake-newer')],
    ['never sent it to one of its hosts', at('a.test', SECRET, messages), at('a.test', 'sk-fake-newer')],
  ])('has its own where the newest %s, and that is told', (_, before, newest) => {
    expect(rollBackDocument(before, newest)).toEqual({ stored: before, returned: ['main'] });
  });

  test('has its own in silence where it is the same, and its references always', () => {
    const same = JSON.stringify({ ...JSON.parse(old), limits: {} });
    expect(rollBackDocument(old, same)).toEqual({ stored: old, returned: [] });
    const reference = at('a.test', 'env:UP_KEY');
    expect(rollBackDocument(reference, old)).toEqual({ stored: reference, returned: [] });
  });
});
