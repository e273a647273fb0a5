// What signing in needs, on a real embedded store under a test's clock, with passwords that cost nothing.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthenticator } from '../../src/accounts/keys/authenticator.ts';
import { createKeyText, lastFour } from '../../src/accounts/keys/key-format.ts';
import { newKeyRow } from '../../src/accounts/keys/new-key-row.ts';
import { createSignInGuard } from '../../src/accounts/sign-in/guard-sign-in.ts';
import { createPasswords } from '../../src/accounts/sign-in/passwords.ts';
import { createSessionHasher } from '../../src/accounts/sign-in/sessions.ts';
import type { SignInTools } from '../../src/accounts/sign-in/sign-in.ts';
import { systemRandom } from '../../src/kit/random.ts';
import type { KeyRow } from '../../src/store/rows.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';

export interface SignInBench {
  tools: SignInTools & { clock: ManualClock };
  /** A new account and the text of its key. */
  register(): Promise<{ accountId: string; keyId: string; key: string }>;
  addKey(accountId: string, fields?: Partial<KeyRow>): Promise<{ keyId: string; key: string }>;
  /** Everything that stands in the database, as text. */
  everyByte(): Promise<string>;
  close(): Promise<void>;
}

const PEPPER = 'pepper of the test';
const CHEAP = { memoryKiB: 8, passes: 1 };

export async function openSignInBench(): Promise<SignInBench> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-sign-in-'));
  const file = join(folder, 'gateway.sqlite');
  const clock = createManualClock();
  const store = await openSqliteStore({ file, clock });
  const authenticator = createAuthenticator(store, clock, PEPPER);
  let count = 0;
  const newKey = (accountId: string, fields: Partial<KeyRow> = {}) => {
    const key = createKeyText(systemRandom);
    const given = {
      keyId: `key_${++count}`,
      accountId,
      hash: authenticator.hash(key),
      last4: lastFour(key),
      manage: true,
      createdAt: clock.now(),
    };
    return { key, row: { ...newKeyRow(given), ...fields } };
  };
  return {
    tools: {
      store,
      clock,
      random: systemRandom,
      authenticator,
      passwords: createPasswords(CHEAP),
      guard: createSignInGuard(clock),
      hashSession: createSessionHasher(PEPPER),
    },
    async register() {
      const accountId = `acc_${++count}`;
      const { key, row } = newKey(accountId);
      await store.commit('register', {
        accountId,
        key: row,
        address: accountId,
        at: clock.now(),
        trial: 1n,
        limits: { perAddress: 3, perDay: 1_000 },
      });
      return { accountId, keyId: row.keyId, key };
    },
    async addKey(accountId, fields) {
      const { key, row } = newKey(accountId, fields);
      await store.commit('createKey', { key: row, at: clock.now() });
      return { keyId: row.keyId, key };
    },
    async everyByte() {
      const files = ['', '-wal'].map((suffix) => Bun.file(file + suffix));
      return (await Promise.all(files.map(async (one) => ((await one.exists()) ? one.bytes() : new Uint8Array()))))
        .map((bytes) => Buffer.from(bytes).toString('latin1'))
        .join('');
    },
    async close() {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
