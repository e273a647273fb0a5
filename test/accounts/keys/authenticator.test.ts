import { beforeEach, describe, expect, test } from 'bun:test';
import { type Authenticator, createAuthenticator } from '../../../src/accounts/keys/authenticator.ts';
import { keyFromSecret } from '../../../src/accounts/keys/key-format.ts';
import type { KeyRow } from '../../../src/store/rows.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';

const PEPPER = 'a-pepper-for-tests-only';
const KEY = keyFromSecret(new Uint8Array(32).fill(1));
const OTHER_KEY = keyFromSecret(new Uint8Array(32).fill(2));

let clock: ManualClock;
let rows: Map<string, KeyRow>;
let reads: number;
let authenticator: Authenticator;

beforeEach(() => {
  clock = createManualClock();
  rows = new Map();
  reads = 0;
  authenticator = createAuthenticator(
    {
      read: {
        async keyByHash(hash) {
          reads++;
          return rows.get(hash);
        },
        unrevokedKeysOf: async (accountId) => [...rows.values()].filter((row) => row.accountId === accountId),
      },
    },
    clock,
    PEPPER,
  );
});

function store(key: string, changes: Partial<KeyRow> = {}): void {
  const hash = authenticator.hash(key);
  rows.set(hash, {
    keyId: 'key_test',
    accountId: 'acc_test',
    hash,
    last4: key.slice(-4),
    name: null,
    manage: true,
    models: null,
    dailyBudget: null,
    expiresAt: null,
    createdAt: 0,
    revokedAt: null,
    oldHash: null,
    oldHashUntil: null,
    parentId: null,
    depth: 0,
    delegate: false,
    limits: {},
    ...changes,
  });
}

/** KEY as the successor of OTHER_KEY: the store finds the row by either hash. */
function storeRotated(changes: Partial<KeyRow>): void {
  store(KEY, { oldHash: authenticator.hash(OTHER_KEY), ...changes });
  const row = rows.get(authenticator.hash(KEY));
  if (row) rows.set(authenticator.hash(OTHER_KEY), row);
}

async function isRefused(key: string | undefined): Promise<boolean> {
  return (await authenticator.authenticate(key)) === undefined;
}

describe('a key that is not good', () => {
  test('costs no read of the store when it is absent or malformed', async () => {
    for (const text of [undefined, '', 'sk-svc-', 'garbage', KEY.slice(0, -1), `${KEY}x`, KEY.replace('s', 'S')]) {
      expect(await isRefused(text)).toBe(true);
    }
    expect(reads).toBe(0);
  });

  test('is refused in the same way for every reason, so that nobody learns which', async () => {
    expect(await isRefused('garbage')).toBe(true);
    expect(await isRefused(KEY)).toBe(true);
    store(KEY, { revokedAt: 1 });
    expect(await isRefused(KEY)).toBe(true);
    store(OTHER_KEY, { expiresAt: clock.now() });
    expect(await isRefused(OTHER_KEY)).toBe(true);
  });
});

test('the store sees a keyed hash, never the key', async () => {
  expect(authenticator.hash(KEY)).toMatch(/^[0-9a-f]{64}$/);
  expect(authenticator.hash(KEY)).not.toBe(new Bun.CryptoHasher('sha256').update(KEY).digest('hex'));
  const elsewhere = createAuthenticator(
    { read: { keyByHash: async () => undefined, unrevokedKeysOf: async () => [] } },
    clock,
    'another-test-pepper',
  );
  expect(elsewhere.hash(KEY)).not.toBe(authenticator.hash(KEY));
});

test('an expiry takes effect at its moment, also on a key in memory', async () => {
  store(KEY, { expiresAt: clock.now() + 500 });
  authenticator.confirm('1', clock.monotonic());
  expect((await authenticator.authenticate(KEY))?.keyId).toBe('key_test');
  await clock.advance(499);
  expect((await authenticator.authenticate(KEY))?.keyId).toBe('key_test');
  await clock.advance(1);
  expect(await isRefused(KEY)).toBe(true);
  expect(reads).toBe(1);
});

describe('a key that was rotated', () => {
  test('works under its new text, and under the old one while the grace lasts', async () => {
    storeRotated({ oldHashUntil: clock.now() + 500 });
    authenticator.confirm('1', clock.monotonic());
    for (const key of [KEY, OTHER_KEY]) expect((await authenticator.authenticate(key))?.keyId).toBe('key_test');
    await clock.advance(500);
    expect((await authenticator.authenticate(KEY))?.keyId).toBe('key_test');
    expect(await isRefused(OTHER_KEY)).toBe(true);
  });

  test('without grace the old text is dead at once', async () => {
    storeRotated({ oldHashUntil: null });
    expect(await isRefused(OTHER_KEY)).toBe(true);
  });

  test('revoked, it is dead under both', async () => {
    storeRotated({ revokedAt: 1, oldHashUntil: clock.now() + 500 });
    for (const key of [KEY, OTHER_KEY]) expect(await isRefused(key)).toBe(true);
  });
});

describe('rows in memory', () => {
  test('are used for less than a second after the store confirmed them', async () => {
    store(KEY);
    authenticator.confirm('1', clock.monotonic());
    await authenticator.authenticate(KEY);
    await clock.advance(999);
    await authenticator.authenticate(KEY);
    expect(reads).toBe(1);
    await clock.advance(1);
    await authenticator.authenticate(KEY);
    expect(reads).toBe(2);
  });

  test('are used on as long as the store confirms', async () => {
    store(KEY);
    for (let i = 0; i < 10; i++) {
      authenticator.confirm('1', clock.monotonic());
      await authenticator.authenticate(KEY);
      await clock.advance(900);
    }
    expect(reads).toBe(1);
  });

  test('are not used before the first confirmation', async () => {
    store(KEY);
    await authenticator.authenticate(KEY);
    await authenticator.authenticate(KEY);
    expect(reads).toBe(2);
  });

  test('are not used longer because the wall clock was set back', async () => {
    store(KEY);
    authenticator.confirm('1', clock.monotonic());
    await authenticator.authenticate(KEY);
    clock.step(-3_600_000);
    await clock.advance(1_000);
    await authenticator.authenticate(KEY);
    expect(reads).toBe(2);
  });

  test('are forgotten when the store tells of a change: a revoked key stops at once', async () => {
    store(KEY);
    authenticator.confirm('1', clock.monotonic());
    await authenticator.authenticate(KEY);
    store(KEY, { revokedAt: clock.now() });
    authenticator.confirm('2', clock.monotonic());
    expect(await isRefused(KEY)).toBe(true);
  });

  test('a key revoked while the store is silent stops within a second', async () => {
    store(KEY);
    authenticator.confirm('1', clock.monotonic());
    await authenticator.authenticate(KEY);
    store(KEY, { revokedAt: clock.now() });
    await clock.advance(1_000);
    expect(await isRefused(KEY)).toBe(true);
  });

  test('a late answer of the store confirms no more than what it saw when it was asked', async () => {
    store(KEY);
    authenticator.confirm('1', clock.monotonic());
    await authenticator.authenticate(KEY);
    const askedAt = clock.monotonic();
    await clock.advance(900);
    authenticator.confirm('1', askedAt);
    await clock.advance(99);
    await authenticator.authenticate(KEY);
    expect(reads).toBe(1);
    await clock.advance(1);
    await authenticator.authenticate(KEY);
    expect(reads).toBe(2);
  });

  test('an answer that another one overtook takes nothing back', async () => {
    store(KEY);
    const askedAt = clock.monotonic();
    await clock.advance(500);
    authenticator.confirm('1', clock.monotonic());
    await authenticator.authenticate(KEY);
    authenticator.confirm('1', askedAt);
    await clock.advance(999);
    await authenticator.authenticate(KEY);
    expect(reads).toBe(1);
  });

  test('a row read before a change, and delivered after it was told, is not kept', async () => {
    store(KEY);
    const replies: (() => void)[] = [];
    const slow = createAuthenticator(
      {
        read: {
          keyByHash(asked) {
            const row = rows.get(asked);
            return new Promise((resolve) => replies.push(() => resolve(row)));
          },
          unrevokedKeysOf: async () => [],
        },
      },
      clock,
      PEPPER,
    );
    slow.confirm('1', clock.monotonic());
    const first = slow.authenticate(KEY);
    store(KEY, { revokedAt: clock.now() });
    slow.confirm('2', clock.monotonic());
    replies.shift()?.();
    await first;
    const second = slow.authenticate(KEY);
    replies.shift()?.();
    expect(await second).toBeUndefined();
  });

  test('keys do not answer for each other', async () => {
    store(KEY, { keyId: 'key_one' });
    store(OTHER_KEY, { keyId: 'key_two' });
    authenticator.confirm('1', clock.monotonic());
    for (let i = 0; i < 2; i++) {
      expect((await authenticator.authenticate(KEY))?.keyId).toBe('key_one');
      expect((await authenticator.authenticate(OTHER_KEY))?.keyId).toBe('key_two');
    }
    expect(reads).toBe(2);
  });
});

describe('a key that is looked at again', () => {
  const present = async () => {
    const key = await authenticator.authenticate(KEY);
    if (!key) throw new Error('the key is good');
    return key;
  };

  test('is the same without a wait and without a read, while no key has changed', async () => {
    store(KEY);
    authenticator.confirm('1', clock.monotonic());
    const key = await present();
    clock.step(60_000);
    expect(authenticator.revalidate(key)).toBe(key);
    authenticator.confirm('1', clock.monotonic());
    await clock.advance(999);
    expect(authenticator.revalidate(key)).toBe(key);
    expect(reads).toBe(1);
  });

  test('needs no second read just after the first, also when the store is silent', async () => {
    store(KEY);
    const key = await present();
    await clock.advance(999);
    expect(authenticator.revalidate(key)).toBe(key);
    await clock.advance(1);
    expect(await authenticator.revalidate(key)).toMatchObject({ keyId: 'key_test' });
    expect(reads).toBe(2);
  });

  test.each([
    ['this node', () => authenticator.forget()],
    ['another', () => authenticator.confirm('2', clock.monotonic())],
  ])('is read anew when %s has changed a key', async (_, change) => {
    store(KEY);
    authenticator.confirm('1', clock.monotonic());
    const key = await present();
    store(KEY, { manage: false });
    change();
    expect(await authenticator.revalidate(key)).toMatchObject({ manage: false });
    store(KEY, { revokedAt: clock.now() });
    change();
    authenticator.forget();
    expect(await authenticator.revalidate(key)).toBeUndefined();
  });

  test('ends at its expiry, and its old text with the grace', async () => {
    store(KEY, { expiresAt: clock.now() + 10 });
    authenticator.confirm('1', clock.monotonic());
    const key = await present();
    clock.step(10);
    expect(authenticator.revalidate(key)).toBeUndefined();
    storeRotated({ oldHashUntil: clock.now() + 10 });
    authenticator.confirm('2', clock.monotonic());
    const old = await authenticator.authenticate(OTHER_KEY);
    if (!old) throw new Error('its grace lasts');
    expect(authenticator.revalidate(old)).toBe(old);
    clock.step(10);
    expect(authenticator.revalidate(old)).toBeUndefined();
  });
});

describe('a key below others', () => {
  const [TOP, MIDDLE] = [3, 4].map((byte) => keyFromSecret(new Uint8Array(32).fill(byte))) as [string, string];
  const storeChain = (top: Partial<KeyRow> = {}, middle: Partial<KeyRow> = {}) => {
    store(TOP, { keyId: 'key_top', ...top });
    store(MIDDLE, { keyId: 'key_middle', parentId: 'key_top', depth: 1, ...middle });
    store(KEY, { keyId: 'key_low', parentId: 'key_middle', depth: 2 });
  };

  test('comes with its ancestors, the parent first, and is cached with them', async () => {
    storeChain({ models: ['a', 'b'] }, { models: ['b', 'c'] });
    authenticator.confirm('1', clock.monotonic());
    const found = await authenticator.authenticate(KEY);
    expect(found?.ancestors.map(({ keyId }) => keyId)).toEqual(['key_middle', 'key_top']);
    expect(found?.allowedModels).toEqual(['b']);
    expect(authenticator.authenticate(KEY)).toBe(found);
  });

  test.each([
    ['was revoked', { revokedAt: 1 }],
    ['expired', { expiresAt: 1 }],
  ])('is invalid when an ancestor %s', async (_, changes) => {
    storeChain({}, changes);
    expect(await authenticator.authenticate(KEY)).toBeUndefined();
    storeChain(changes);
    expect(await authenticator.authenticate(KEY)).toBeUndefined();
  });

  test('is invalid once an ancestor expires, also while it is cached', async () => {
    storeChain({ expiresAt: clock.now() + 10 });
    authenticator.confirm('1', clock.monotonic());
    expect(await authenticator.authenticate(KEY)).toBeDefined();
    await clock.advance(10);
    expect(await authenticator.authenticate(KEY)).toBeUndefined();
  });
});
