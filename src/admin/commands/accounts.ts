// accounts show, credit; keys create, revoke: what an operator does for a customer.

import { newKeyRow } from '../../keys/new-key-row.ts';
import { publicKey } from '../../accounts/public-key.ts';
import { createKey, lastFour } from '../../keys/key-format.ts';
import { formatNtd, moneyFields } from '../../kit/money.ts';
import type { Entry } from '../../store/rows.ts';
import { type Command, noArguments, oneArgument, Refused, requiredOption } from '../command.ts';
import { printTable } from '../print-table.ts';
import { readAmount } from '../read-amount.ts';

const ENTRIES_SHOWN = 20;

export const accountCommands: readonly Command[] = [
  {
    words: 'accounts show',
    takes: 'ID',
    about: 'balance, keys, open holds and the last entries',
    options: [],
    async run({ args, open }) {
      const accountId = oneArgument(args, 'ID');
      const { read } = (await open()).store;
      const [wallet, keys, holds, entries] = await Promise.all([
        read.wallet(accountId),
        read.keysOf(accountId),
        read.openHolds(accountId),
        read.entriesOf(accountId, ENTRIES_SHOWN),
      ]);
      if (!wallet) throw noSuchAccount(accountId);
      const money = {
        ...moneyFields('balance', wallet.balance),
        ...moneyFields('held', wallet.held),
        ...moneyFields('available', wallet.balance - wallet.held),
      };
      return {
        facts: {
          account_id: accountId,
          ...money,
          frozen: wallet.frozen,
          keys: keys.map((key) => ({ ...publicKey(key), revoked: key.revokedAt !== null })),
          open_holds: holds.map(({ requestId }) => requestId),
          entries: entries.map((entry) => publicEntry(entry, accountId)),
        },
        text: [
          `account    ${accountId}${wallet.frozen ? '  (frozen)' : ''}`,
          `balance    NT$${formatNtd(wallet.balance)}`,
          `held       NT$${formatNtd(wallet.held)} by ${holds.length} requests`,
          `available  NT$${formatNtd(wallet.balance - wallet.held)}`,
          '',
          printTable(
            ['key', 'name', 'last4', 'manages', 'state'],
            keys.map((key) => [
              key.keyId,
              key.name ?? '',
              key.last4,
              key.manage ? 'yes' : 'no',
              key.revokedAt === null ? 'live' : 'revoked',
            ]),
          ),
          '',
          printTable(
            ['entry', 'NT$', 'balance after', 'reference', 'note'],
            entries.map((entry) => [
              entry.kind,
              formatNtd(signedAmount(entry, accountId)),
              formatNtd(entry.balanceAfter ?? 0n),
              entry.reference,
              entry.note ?? '',
            ]),
          ),
        ].join('\n'),
      };
    },
  },
  {
    words: 'accounts credit',
    takes: 'ID --amount NTD --reason TEXT',
    about: 'add balance, with a reason that stays in the ledger',
    options: ['amount', 'reason'],
    async run({ args, options, open }) {
      const accountId = oneArgument(args, 'ID');
      const amount = readAmount(requiredOption(options, 'amount'));
      const reason = requiredOption(options, 'reason').trim();
      if (reason === '') throw new Refused('--reason must say why: it stays in the ledger');
      const { store, clock, newId } = await open();
      const result = await store.commit('credit', {
        accountId,
        amount,
        reference: newId('batch'),
        reason,
        at: clock.now(),
      });
      if (!result.ok) throw noSuchAccount(accountId);
      return {
        facts: { account_id: accountId, ...moneyFields('amount', amount), ...moneyFields('balance', result.balance) },
        text: `credited NT$${formatNtd(amount)}; the balance is NT$${formatNtd(result.balance)}`,
      };
    },
  },
  {
    words: 'keys create',
    takes: '--account ID [--name TEXT]',
    about: 'a new managing key for who lost theirs; it is shown once',
    options: ['account', 'name'],
    async run({ args, options, open }) {
      noArguments(args);
      const accountId = requiredOption(options, 'account');
      const { store, clock, random, newId, hashKey } = await open();
      const apiKey = createKey(random);
      const at = clock.now();
      const key = newKeyRow(
        { keyId: newId('key'), accountId, hash: hashKey(apiKey), last4: lastFour(apiKey), manage: true, createdAt: at },
        { name: options.name ?? null },
      );
      const result = await store.commit('createKey', { key, at });
      if (!result.ok) throw result.reason === 'not_found' ? noSuchAccount(accountId) : new Refused(result.reason);
      return { facts: { api_key: apiKey, ...publicKey(result.key) }, text: apiKey };
    },
  },
  {
    words: 'keys revoke',
    takes: 'ID',
    about: 'stop a key on every node within a second',
    options: [],
    async run({ args, open }) {
      const keyId = oneArgument(args, 'ID');
      const { store, clock } = await open();
      const key = await store.read.keyById(keyId);
      if (!key) throw new Refused(`there is no key ${keyId}`);
      const { accountId } = key;
      const result = await store.commit('revokeKey', { accountId, keyId, at: clock.now(), evenIfLast: true });
      if (!result.ok) throw new Refused(`${keyId} is already revoked`);
      return { facts: { id: keyId, revoked: true }, text: `${keyId} is revoked` };
    },
  },
];

function noSuchAccount(accountId: string): Refused {
  return new Refused(`there is no account ${accountId}`);
}

function signedAmount(entry: Entry, accountId: string): bigint {
  return entry.credit === accountId ? entry.amount : -entry.amount;
}

function publicEntry(entry: Entry, accountId: string) {
  return {
    at: new Date(entry.at).toISOString(),
    kind: entry.kind,
    ...moneyFields('amount', signedAmount(entry, accountId)),
    ...moneyFields('balance_after', entry.balanceAfter ?? 0n),
    reference: entry.reference,
    note: entry.note,
  };
}
