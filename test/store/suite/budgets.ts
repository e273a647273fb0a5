// A budget that a key gets later: what the key spent that day and what its running calls hold counts, from the first nano.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createAuthenticator } from '../../../src/accounts/keys/authenticator.ts';
import { editKey } from '../../../src/accounts/keys/manage-keys.ts';
import { buildCatalog } from '../../../src/catalog/catalog.ts';
import { readDocument } from '../../../src/catalog/read-document.ts';
import { RawJson } from '../../../src/kit/json/raw-json.ts';
import { systemRandom } from '../../../src/kit/random.ts';
import type { AdmitInput } from '../../../src/store/operations.ts';
import type { Store } from '../../../src/store/store.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { plainDocument } from '../../support/plain-document.ts';
import {
  type Account,
  admitted,
  createAccount,
  DAY,
  free,
  fresh,
  paid,
  releasing,
  renewLease,
  sampleKey,
  setDayBudget,
  settling,
  T0,
} from './samples.ts';
import type { OpenSubject, StoreSubject } from './subject.ts';

/** A store in which something happens before each change of a key. */
function beforeChange({ read, commit, ...rest }: Store, act: () => Promise<unknown>): Store {
  return {
    ...rest,
    read,
    async commit(name, input) {
      if (name === 'changeKey') await act();
      return commit(name, input);
    },
  };
}

async function setBudget(store: Store, { accountId, keyId }: Account, ntd: number) {
  const document = readDocument(JSON.stringify(plainDocument()));
  if (!document.ok) throw new Error('the plain document is valid');
  const catalog = buildCatalog(document.document, 1, 0);
  const clock = createManualClock(T0);
  const tools = {
    store,
    clock,
    random: systemRandom,
    newId: fresh,
    authenticator: createAuthenticator(store, clock, 'pepper of the test'),
    catalog: () => catalog,
    countKeyChange: () => {},
  };
  const manager = (await store.read.keysOf(accountId)).find(({ manage }) => manage);
  if (!manager) throw new Error('an account has a key that manages');
  const asker = { accountId, by: { keyId: manager.keyId, keyHash: manager.hash } };
  return editKey(tools, asker, keyId, { daily_budget_ntd: new RawJson(String(ntd)) });
}

export function describeBudgets(open: OpenSubject): void {
  describe('a budget that is set later', () => {
    let subject: StoreSubject;
    let key: Account;
    beforeAll(async () => {
      subject = await open();
      await renewLease(subject.store);
    });
    afterAll(() => subject.close());

    const newKey = async () => {
      const { accountId } = await createAccount(subject.store);
      const row = sampleKey(accountId, { manage: false });
      await subject.store.commit('createKey', { key: row, at: T0 });
      key = { accountId, keyId: row.keyId };
    };
    const begin = async (fields: Parameters<typeof paid>[1] = {}): Promise<AdmitInput> => {
      const input = paid(key, fields);
      await admitted(subject.store, input);
      return input;
    };
    const kept = () => subject.sql(`SELECT spent_nano, held_nano FROM budgets WHERE key_id = '${key.keyId}'`);
    const differences = async () => (await subject.store.read.audit({})).differences;
    /** As a version that kept no row for a key without a budget left its running calls. */
    const asOlderVersion = async () => {
      await subject.plant(`UPDATE holds SET budgeted = NOT budgeted WHERE key_id = '${key.keyId}'`);
      await subject.plant(`DELETE FROM budgets WHERE key_id = '${key.keyId}'`);
    };

    test('counts what calls hold that began before', async () => {
      await newKey();
      const running = await begin();
      const small = { hold: { least: 100 } };
      await setDayBudget(subject.store, key, 3_000n);
      expect(await subject.store.commit('admit', paid(key, small))).toMatchObject({
        reason: 'budget_in_use',
        available: 1_000n,
      });
      await subject.store.commit('settle', settling(running, 1_500n));
      expect(await subject.store.commit('admit', paid(key, small))).toMatchObject({
        reason: 'key_budget_exceeded',
        available: 1_500n,
      });
      expect(await kept()).toEqual([{ spent_nano: 1_500n, held_nano: 0n }]);
      expect(await differences()).toEqual([]);
    });

    test('counts what a call costs that ends while it is set', async () => {
      await newKey();
      const running = await begin();
      const store = beforeChange(subject.store, () => subject.store.commit('settle', settling(running, 1_500n)));
      await setBudget(store, key, 0.5);
      expect(await kept()).toEqual([{ spent_nano: 1_500n, held_nano: 0n }]);
    });

    test('counts what a call holds that begins while it is set', async () => {
      await newKey();
      await setBudget(
        beforeChange(subject.store, () => begin()),
        key,
        0.5,
      );
      expect(await kept()).toEqual([{ spent_nano: 0n, held_nano: 2_000n }]);
      expect(await differences()).toEqual([]);
    });

    test('counts the day, and not the one before', async () => {
      await newKey();
      const [first, second] = [await begin(), await begin()];
      await subject.store.commit('settle', settling(first, 1_500n));
      await subject.store.commit('settle', settling(second, 700n, { at: T0 + DAY }));
      expect(await kept()).toEqual([{ spent_nano: 700n, held_nano: 0n }]);
      const [known, ...others] = await subject.store.read.budgetsOf([key.keyId, 'key_none']);
      expect(known).toMatchObject({ keyId: key.keyId, spent: 700n, held: 0n });
      expect([others, await subject.store.read.budgetsOf([])]).toEqual([[], []]);
    });

    test('counts nothing of what came back, or of what is free', async () => {
      await newKey();
      await subject.store.commit('release', releasing(await begin(), true));
      const { requestId, accountId, keyId } = await begin();
      await subject.store.commit('sweep', { requestId, accountId, keyId, at: T0 });
      const freely = free(key);
      await admitted(subject.store, freely);
      await subject.store.commit('settle', settling(freely, 0n));
      expect(await kept()).toEqual([{ spent_nano: 0n, held_nano: 0n }]);
    });

    test('counts what a call costs that an older version began', async () => {
      await newKey();
      const [settled, released] = [await begin(), await begin()];
      await asOlderVersion();
      await subject.store.commit('release', releasing(released, true));
      expect(await kept()).toEqual([]);
      await begin();
      await subject.store.commit('settle', settling(settled, 1_500n));
      expect(await kept()).toEqual([{ spent_nano: 1_500n, held_nano: 2_000n }]);
      expect(await differences()).toEqual([]);
    });
  });
}
