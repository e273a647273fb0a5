// accounts show, credit, refund, payout; keys create, revoke.

import { LIMIT_FIELDS, LIMIT_NAMES, limitOf, limitText } from '../../accounts/keys/limit-fields.ts';
import { publicKey } from '../../accounts/keys/public-key.ts';
import { counted } from '../../kit/counted.ts';
import { formatNtd, moneyFields, type Nano } from '../../kit/money.ts';
import type { Entry } from '../../store/rows.ts';
import { createKey, type KeyView, revokeKey, showAccount } from '../actions/accounts.ts';
import { credit, payout, refund } from '../actions/money.ts';
import { readAmount, readFee } from '../actions/read-input.ts';
import { invalid } from '../actions/refused.ts';
import { publicView } from '../api/public-view.ts';
import { ACTOR, type Command, requiredOption } from './command.ts';
import { printTable } from './print-table.ts';

const ENTRIES_SHOWN = 20;

export const accountCommands: readonly Command[] = [
  {
    words: 'accounts show',
    takes: 'ID',
    about: 'balance, keys, open holds and the last entries',
    async run({ args: [accountId = ''], open }) {
      const account = await showAccount(await open(), accountId);
      const { wallet, keys, holds } = account;
      const entries = account.entries.slice(0, ENTRIES_SHOWN);
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
          keys: keys.map((key) => ({ ...publicKey(key), revoked: key.revokedAt !== null, state: key.state })),
          open_holds: holds.map(({ requestId }) => requestId),
          entries: entries.map((entry) => publicEntry(entry, accountId)),
        },
        text: [
          `account    ${accountId}${wallet.frozen ? '  (frozen)' : ''}`,
          `balance    NT$${formatNtd(wallet.balance)}`,
          `held       NT$${formatNtd(wallet.held)} by ${counted(holds.length, 'request', 'requests')}`,
          `available  NT$${formatNtd(wallet.balance - wallet.held)}`,
          '',
          printTable(
            ['key', 'name', 'last4', 'manages', 'delegates', 'state', 'depth', 'parent', 'limits'],
            keys.map((key) => [
              ...[key.keyId, key.name ?? '', key.last4, yesNo(key.manage), yesNo(key.delegate), key.state],
              ...[String(key.depth), key.parentId ?? '', limitsText(key)],
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
    takes: 'ID --amount NTD --reason TEXT [--kind topup]',
    about: 'add balance, with a reason that stays in the ledger; a topup was paid for, and can be paid out',
    async run({ args: [accountId = ''], options, open }) {
      const amount = readAmount(requiredOption(options, 'amount'));
      const reason = requiredOption(options, 'reason');
      const kind = readKind(options.kind);
      const { balance } = await credit(await open(), accountId, { amount, reason, kind, actor: ACTOR });
      return printMove('credited', { accountId, amount, balance });
    },
  },
  {
    words: 'keys create',
    takes: '--account ID [--name TEXT]',
    about: 'create a managing key for a customer who lost theirs; it is shown once',
    async run({ options, open }) {
      const accountId = requiredOption(options, 'account');
      const { apiKey, key } = await createKey(await open(), accountId, { name: options.name ?? null, actor: ACTOR });
      return {
        facts: { api_key: apiKey, ...publicKey(key) },
        text: apiKey,
        secret: { ifLost: `the new key ${key.keyId} was not shown, revoke it`, facts: { id: key.keyId } },
      };
    },
  },
  {
    words: 'keys revoke',
    takes: 'ID',
    about: 'revoke a key on every node within a second',
    async run({ args: [keyId = ''], open }) {
      await revokeKey(await open(), keyId, ACTOR);
      return { facts: { id: keyId, revoked: true }, text: `${keyId} is revoked` };
    },
  },
  {
    words: 'accounts refund',
    takes: 'ID (--request ID | --amount NTD) [--card SERIAL] --reason TEXT',
    about: 'return the cost of a request, a part of it, or an amount to the balance',
    async run({ args: [accountId = ''], options, open }) {
      const given = {
        requestId: options.request,
        card: options.card,
        amount: options.amount === undefined ? undefined : readAmount(options.amount),
        reason: requiredOption(options, 'reason'),
      };
      const { amount, balance } = await refund(await open(), accountId, { ...given, actor: ACTOR });
      return printMove('refunded', { accountId, amount, balance });
    },
  },
  {
    words: 'accounts payout',
    takes: 'ID --amount NTD [--fee NTD] --reason TEXT',
    about: 'book paid balance that was sent back to the customer',
    async run({ args: [accountId = ''], options, open }) {
      const amount = readAmount(requiredOption(options, 'amount'));
      const fee = options.fee === undefined ? 0n : readFee(options.fee);
      const reason = requiredOption(options, 'reason');
      const { balance } = await payout(await open(), accountId, { amount, fee, reason, actor: ACTOR });
      return printMove('paid out', { accountId, amount, fee, balance });
    },
  },
];

function printMove(done: string, facts: { accountId: string; amount: Nano; fee?: Nano; balance: Nano }) {
  const { amount, balance } = facts;
  return { facts: publicView(facts), text: `${done} NT$${formatNtd(amount)}; the balance is NT$${formatNtd(balance)}` };
}

function readKind(kind = 'credit'): 'credit' | 'topup' {
  if (kind !== 'credit' && kind !== 'topup') throw invalid('kind', 'must be credit or topup');
  return kind;
}

function yesNo(is: boolean): string {
  return is ? 'yes' : 'no';
}

/** `day NT$5, in_flight 2` */
function limitsText(key: KeyView): string {
  return LIMIT_NAMES.flatMap((name) => {
    const value = limitOf(key, name);
    return value === null ? [] : [`${LIMIT_FIELDS[name].name} ${limitText(value)}`];
  }).join(', ');
}

function signedAmount(entry: Entry, accountId: string): bigint {
  return entry.credit === accountId ? entry.amount : -entry.amount;
}

function publicEntry(entry: Entry, accountId: string) {
  const { at, kind, balanceAfter, reference, note } = entry;
  const amount = signedAmount(entry, accountId);
  return publicView({ at, kind, amount, balanceAfter: balanceAfter ?? 0n, reference, note });
}
