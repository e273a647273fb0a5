// What the operator does, and what the store keeps beside money: revisions, leases, alarms; and what it forgets.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { appliedLine } from '../../support/applied-line.ts';
import {
  admitted,
  createAccount,
  DAY,
  fresh,
  paid,
  redeeming,
  registration,
  renewLease,
  settling,
  T0,
} from './samples.ts';
import type { OpenSubject, StoreSubject } from './subject.ts';

export function describeOperator(open: OpenSubject): void {
  describe('the operator', () => {
    let subject: StoreSubject;
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(() => subject.close());

    test('credits once for a reference, with a reason', async () => {
      const { accountId } = await createAccount(subject.store, 5n);
      const reference = fresh('reference');
      const credit = { accountId, amount: 10n, reference, reason: 'apology', at: T0 };
      expect(await subject.store.commit('credit', credit)).toEqual({ ok: true, balance: 15n });
      const [again, neighbour] = await Promise.allSettled([
        subject.store.commit('credit', credit),
        subject.store.commit('credit', { ...credit, reference: fresh('reference') }),
      ]);
      expect(again).toMatchObject({ status: 'rejected', reason: { code: 'internal_error' } });
      expect(neighbour).toMatchObject({ status: 'fulfilled', value: { balance: 25n } });
      const entries = await subject.store.read.entriesOf(accountId, 10);
      expect(entries.map(({ kind }) => kind)).toEqual(['credit', 'credit', 'trial']);
      expect(entries[1]).toMatchObject({ debit: 'house:credit', amount: 10n, reference, note: 'apology' });
    });

    test('what came in is told, however many requests came after it', async () => {
      await renewLease(subject.store);
      const account = await createAccount(subject.store, 1_000_000n);
      const { accountId } = account;
      const credit = { accountId, amount: 10n, reference: fresh('reference'), reason: 'apology', at: T0 };
      await subject.store.commit('credit', credit);
      for (let n = 0; n < 3; n++) {
        const input = paid(account);
        await admitted(subject.store, input);
        await subject.store.commit('settle', settling(input, 5n));
      }
      const kinds = async (limit: number) =>
        (await subject.store.read.creditsOf(accountId, limit)).map(({ kind }) => kind);
      expect(await kinds(2)).toEqual(['credit', 'trial']);
      expect(await kinds(1)).toEqual(['credit']);
      const [newest] = await subject.store.read.creditsOf(accountId, 1);
      const older = await subject.store.read.creditsOf(accountId, 5, newest?.entryId);
      expect(older.map(({ kind }) => kind)).toEqual(['trial']);
      const all = await subject.store.read.entriesOf(accountId, 10);
      expect(await subject.store.read.entriesOf(accountId, 2, all[1]?.entryId)).toEqual(all.slice(2, 4));
      expect(await subject.store.read.creditsOf('acc_unknown', 2)).toEqual([]);
      expect(await subject.store.read.entryBy('credit', credit.reference)).toMatchObject({
        kind: 'credit',
        accountId,
        amount: 10n,
      });
      // A trial has its account as reference, and is no credit.
      expect(await subject.store.read.entryBy('credit', accountId)).toBeUndefined();
      const used = all.find(({ kind }) => kind === 'usage');
      const request = used?.reference ?? '';
      expect(await subject.store.read.usageEntry(accountId, request)).toMatchObject({ kind: 'usage', amount: 5n });
      expect(await subject.store.read.usageEntry('acc_unknown', request)).toBeUndefined();
      expect(await subject.store.read.usageEntry(accountId, credit.reference)).toBeUndefined();
    });

    test('cannot credit who is not there, nor nothing', async () => {
      const credit = { accountId: 'acc_unknown', amount: 10n, reference: fresh('reference'), reason: 'x', at: T0 };
      expect(await subject.store.commit('credit', credit)).toEqual({ ok: false, reason: 'not_found' });
      const { accountId } = await createAccount(subject.store);
      const nothing = { ...credit, accountId, amount: 0n };
      expect(await subject.store.commit('credit', nothing).catch((error) => error.code)).toBe('internal_error');
    });

    test('entries cannot be changed, not even by SQL', async () => {
      await createAccount(subject.store);
      for (const statement of ['UPDATE entries SET amount_nano = amount_nano + 1', 'DELETE FROM entries']) {
        expect(await subject.sql(statement).catch((error) => error.message)).toContain('append-only');
      }
    });

    test('makes revisions, which the pulse tells', async () => {
      const own = await open();
      try {
        const { read } = own.store;
        expect(await read.pulse()).toMatchObject({ revision: 0 });
        expect(await read.newestRevision()).toBeUndefined();
        expect(await read.wasApplied('h1')).toBe(false);
        const revise = (source: 'default' | 'file' | 'operator', sourceHash: string) =>
          own.store.commit('revise', {
            document: `{"of":"${sourceHash}"}`,
            source,
            sourceHash,
            at: T0,
            log: appliedLine(T0),
          });
        await revise('file', 'h1');
        await revise('operator', 'h2');
        expect(await read.pulse()).toMatchObject({ revision: 2 });
        expect(await read.newestRevision()).toEqual({
          revision: 2,
          document: '{"of":"h2"}',
          source: 'operator',
          sourceHash: 'h2',
          createdAt: T0,
          actor: 'server',
          action: 'config.apply',
        });
        expect((await read.revision(1))?.document).toBe('{"of":"h1"}');
        expect(await read.revision(3)).toBeUndefined();
        const applied = async () => {
          const hashes = ['h0', 'h1', 'h2', 'h3'];
          const known = await Promise.all(hashes.map(read.wasApplied));
          return hashes.filter((_, at) => known[at]);
        };
        expect(await applied()).toEqual(['h1']);
        await revise('file', 'h3');
        await revise('default', 'h0');
        expect(await applied()).toEqual(['h3']);
      } finally {
        await own.close();
      }
    });

    test('knows the last file and what the command line applied last since then', async () => {
      const own = await open();
      try {
        const { commit, read } = own.store;
        const revise = (source: 'file' | 'operator', sourceHash: string, actor = 'cli', action = 'config.apply') =>
          commit('revise', {
            document: '{}',
            source,
            sourceHash,
            at: T0,
            log: { at: T0, actor, action, subject: 'catalog', detail: {} },
          });
        const applied = async () => {
          const hashes = ['a', 'b', 'c', 'd'];
          const known = await Promise.all(hashes.map(read.wasApplied));
          return hashes.filter((_, at) => known[at]).join(' ');
        };
        await revise('operator', 'b');
        expect(await applied()).toBe('b');
        await revise('file', 'a');
        expect(await applied()).toBe('a');
        await revise('operator', 'b');
        expect(await applied()).toBe('a b');
        await revise('operator', 'c', 'token');
        await revise('operator', 'd', 'cli', 'channels.disable');
        expect(await applied()).toBe('a b');
        await revise('operator', 'c');
        expect(await applied()).toBe('a c');
        await revise('file', 'd');
        expect(await applied()).toBe('d');
      } finally {
        await own.close();
      }
    });

    test('finds the holds of nodes that are gone', async () => {
      const own = await open();
      try {
        const account = await createAccount(own.store);
        for (const [nodeId, expiresAt] of [
          ['node_a', T0 + 10],
          ['node_b', T0 + 1_000],
        ] as const) {
          await renewLease(own.store, nodeId, expiresAt);
          await admitted(own.store, paid(account, { nodeId }));
        }
        const orphans = async (deadNodes: string[], limit = 10) =>
          (await own.store.read.orphanedHolds({ deadNodes, limit })).map(({ nodeId }) => nodeId).sort();
        expect(await orphans([])).toEqual([]);
        expect(await orphans(['node_b'])).toEqual(['node_b']);
        expect(await orphans(['node_a', 'node_b'])).toEqual(['node_a', 'node_b']);
        expect(await orphans(['node_a', 'node_b'], 1)).toHaveLength(1);
        const lease = { nodeId: 'node_a', host: 'here', pid: 7, expiresAt: T0 + 10 };
        expect(await own.store.read.leases()).toContainEqual(lease);
      } finally {
        await own.close();
      }
    });

    test('alarms leave a row', async () => {
      await subject.store.recordAlarm({ name: 'usage_invalid', fields: { request_id: 'req_x' } }, T0);
      const rows = await subject.sql(`SELECT at, name, fields FROM alarms WHERE name = 'usage_invalid'`);
      expect(rows).toEqual([{ at: BigInt(T0), name: 'usage_invalid', fields: '{"request_id":"req_x"}' }]);
    });

    test('an answer to a repeated call is forgotten by when it was given, not by how long it counts', async () => {
      const own = await open();
      try {
        await own.store.commit('register', registration({ replay: { id: 'replay_once', bodyHash: 'b', salt: 's' } }));
        const kept = () => own.sql('SELECT expires_at FROM replays');
        await own.store.forget(T0);
        expect(await kept()).toEqual([{ expires_at: BigInt(T0 + DAY) }]);
        await own.store.forget(T0 + 1);
        expect(await kept()).toEqual([]);
      } finally {
        await own.close();
      }
    });

    test('old addresses, answers and leases are forgotten; accounts, and leases with open holds, are not', async () => {
      const own = await open();
      try {
        const input = registration({ replay: { id: 'replay_old', bodyHash: 'b', salt: 's' } });
        await own.store.commit('register', input);
        await own.store.commit('redeem', redeeming(input.accountId, 'wrong', { at: T0 + 3 * DAY }));
        await renewLease(own.store, 'node_idle', T0 + 1);
        await renewLease(own.store, 'node_busy', T0 + 1);
        const account = { accountId: input.accountId, keyId: input.key.keyId };
        await admitted(own.store, paid(account, { nodeId: 'node_busy' }));
        await own.store.forget(T0 + 2 * DAY);
        const ids = async (table: string, column: string) =>
          (await own.sql(`SELECT ${column} AS id FROM ${table} ORDER BY ${column}`)).map(({ id }) => String(id));
        const windows = await ids('windows', 'window_id');
        expect(windows.filter((id) => id.startsWith('register:address:'))).toEqual([]);
        expect(windows.filter((id) => id.startsWith('redeem:address:'))).toHaveLength(1);
        expect(windows).toContain('register:site');
        expect(windows).toContain(`paid:${input.accountId}`);
        expect(await ids('leases', 'node_id')).toEqual(['node_busy']);
        expect(await ids('replays', 'replay_id')).toEqual([]);
        expect(await own.store.read.wallet(input.accountId)).toBeDefined();
      } finally {
        await own.close();
      }
    });
  });
}
