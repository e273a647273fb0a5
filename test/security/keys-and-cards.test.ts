// Keys and cards: garbage costs nothing, a stolen database is worth nothing, and a refusal does not say why.

import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createKeyText } from '../../src/accounts/keys/key-format.ts';
import { systemRandom } from '../../src/kit/random.ts';
import { createSealer } from '../../src/kit/sealed.ts';
import { filesBelow, findMarkIn } from '../privacy/find-mark.ts';
import { createExpiredKey, createKey } from '../support/create-key.ts';
import type { TestAccount, TestGateway } from '../support/gateway.ts';
import { issueCard } from '../support/issue-cards.ts';
import { UPSTREAM_KEY } from '../support/test-document.ts';
import { startSecure } from './start-secure.ts';
import { undisturbed } from './undisturbed.ts';

let gateway: TestGateway;
let pepper: string;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startSecure();
  pepper = readFileSync(join(gateway.dataDir, 'pepper'), 'utf8').trim();
  account = await gateway.register();
});
afterAll(() => gateway.stop());

/** The text with one character changed, at every place after the prefix. */
function typos(text: string, from: number): string[] {
  return Array.from({ length: text.length - from }, (_, n) => {
    const at = from + n;
    return `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
  });
}

describe('S1 formats carry a checksum', () => {
  test('S1 a key with any single typo, or garbage, is refused without a question to the database', async () => {
    const asked = spyOn(gateway.gateway.store.read, 'keyByHash');
    const bad = [
      ...typos(account.key, 7),
      'sk-svc-',
      'x',
      account.key.toLowerCase(),
      `${account.key}0`,
      '0'.repeat(56),
    ];
    for (const key of bad) expect((await gateway.call('/api/me', { key })).status).toBe(401);
    expect(asked).not.toHaveBeenCalled();
    expect((await gateway.call('/api/me', { key: createKeyText(systemRandom) })).status).toBe(401);
    expect(asked).toHaveBeenCalledTimes(1);
    asked.mockRestore();
  });

  test('S1 a card code with any single typo is refused without a word to the database', async () => {
    const { code } = await issueCard(gateway);
    const written = spyOn(gateway.gateway.store, 'commit');
    for (const typo of typos(code, 3)) {
      const response = await gateway.call('/api/redeem', { key: account.key, body: { code: typo } });
      expect({ typo, status: response.status }).toEqual({ typo, status: 400 });
    }
    expect(written.mock.calls.filter(([name]) => name === 'redeem')).toEqual([]);
    written.mockRestore();
    expect((await gateway.call('/api/redeem', { key: account.key, body: { code } })).status).toBe(200);
  });
});

describe('S2 a stolen database yields no secret', () => {
  test('S2 no key, card, Idempotency-Key or upstream secret stands in any file of the database', async () => {
    const idempotencyKey = 'fake-idempotency-key-000000';
    const made = await gateway.call('/api/keys', {
      key: account.key,
      body: {},
      headers: { 'idempotency-key': idempotencyKey },
    });
    const { api_key } = (await made.json()) as { api_key: string };
    const card = await issueCard(gateway);
    const secrets = [
      account.key,
      api_key,
      card.code,
      card.code.replaceAll('-', ''),
      idempotencyKey,
      UPSTREAM_KEY,
      pepper,
    ];
    expect(filesBelow(gateway.dataDir)).toContain('gateway.sqlite-wal');
    const found = () => findMarkIn(secrets, gateway.dataDir).filter((what) => !what.startsWith('pepper: '));
    expect(found()).toEqual([]);
    const copy = join(gateway.dataDir, 'control.sqlite');
    gateway.sql(`VACUUM INTO '${copy}'`);
    expect(found()).toEqual([]);
    rmSync(copy);
  });

  test('S2 what is stored in place of a key is no key, and no plain hash of one', async () => {
    const rows = gateway.sql<{ hash: string; last4: string }>('SELECT hash, last4 FROM keys');
    expect(rows.length).toBeGreaterThan(1);
    for (const { hash, last4 } of rows) {
      expect(last4).toHaveLength(4);
      for (const key of [hash, `sk-svc-${hash}`, Buffer.from(hash, 'hex').toString('base64')]) {
        expect((await gateway.call('/api/me', { key })).status).toBe(401);
      }
    }
    const plain = ['sha256', 'sha512', 'md5', 'sha1'].map((name) =>
      createHash(name).update(account.key).digest('hex').slice(0, 64),
    );
    for (const { hash } of rows) expect(plain).not.toContain(hash);
  });

  test('S2 an upstream secret is sealed for its channel, and opens for no other and under no other pepper', () => {
    const [row] = gateway.sql<{ document: string }>('SELECT document FROM revisions ORDER BY revision DESC LIMIT 1');
    const { channels } = JSON.parse(row?.document ?? '') as { channels: { name: string; api_key?: string }[] };
    const sealed = channels.find(({ name }) => name === 'up')?.api_key ?? '';
    expect(sealed).toStartWith('sealed:');
    const sealer = createSealer(pepper, systemRandom);
    expect(sealer.open(sealed, 'up')).toBe(UPSTREAM_KEY);
    expect(sealer.open(sealed, 'up-messages')).toBeUndefined();
    expect(createSealer(`${pepper}.`, systemRandom).open(sealed, 'up')).toBeUndefined();
  });
});

describe('S3 a refused key', () => {
  const deadKeys = async () => {
    const revoked = await createKey(gateway, account.key);
    await gateway.call(`/api/keys/${revoked.id}`, { key: account.key, method: 'DELETE' });
    const expired = await createExpiredKey(gateway, account);
    const rotated = await createKey(gateway, account.key);
    await gateway.call(`/api/keys/${rotated.id}/rotate`, { key: account.key, method: 'POST' });
    return { revoked: revoked.key, expired: expired.key, rotated: rotated.key };
  };

  test('S3 gets the same status, headers and body for every reason, on every route', async () => {
    const dead = await deadKeys();
    const keys = [
      undefined,
      'garbage',
      `${account.key.slice(0, -1)}!`,
      createKeyText(systemRandom),
      ...Object.values(dead),
    ];
    for (const path of ['/api/me', '/v1/models', '/v1/messages/count_tokens']) {
      const answers = new Set<string>();
      for (const key of keys) {
        const response = await gateway.call(path, { key, ...(path.endsWith('tokens') ? { body: {} } : {}) });
        const id = response.headers.get('x-request-id') ?? '-';
        const headers = [...response.headers].filter(([name]) => name !== 'date');
        const answer = [response.status, headers, await response.text()];
        answers.add(JSON.stringify(answer).replaceAll(id, ''));
      }
      expect([...answers]).toHaveLength(1);
      expect([...answers][0]).toStartWith('[401,');
    }
  });

  test('S3 costs the same questions to the database whether it was revoked, has ended or never was', async () => {
    const dead = await deadKeys();
    const asked = spyOn(gateway.gateway.store.read, 'keyByHash');
    for (const key of [createKeyText(systemRandom), dead.revoked, dead.expired, dead.rotated]) {
      await gateway.call('/api/me', { key });
      asked.mockClear();
      for (let n = 0; n < 5; n++) await gateway.call('/api/me', { key });
      expect(asked).toHaveBeenCalledTimes(5);
    }
    asked.mockRestore();
  });

  test('S3 takes as long when it was revoked as when it never was', async () => {
    const { revoked } = await deadKeys();
    const unknown = createKeyText(systemRandom);
    const times: Record<string, number[]> = { revoked: [], unknown: [] };
    const pair = [['revoked', revoked] as const, ['unknown', unknown] as const];
    for (let n = 0; n < 300; n++) {
      for (const [what, key] of n % 2 ? pair : pair.toReversed()) {
        const since = performance.now();
        await (await gateway.call('/api/me', { key })).text();
        times[what]?.push(performance.now() - since);
      }
    }
    const ratio = undisturbed(times.revoked) / undisturbed(times.unknown);
    expect(ratio).toBeWithin(0.6, 1.6);
  });
});
