// /api/admin/accounts and keys: what an operator does for a customer.

import { z } from 'zod';
import { publicRecord } from '../../accounts/usage/public-usage.ts';
import { createKey, revokeKey, setFrozen, showAccount, showRequest } from '../actions/accounts.ts';
import { describeAccount, setBilling, showStatement } from '../actions/describe-account.ts';
import { ACCOUNT_SORTS, listAccounts } from '../actions/list-accounts.ts';
import { credit, payout, refund } from '../actions/money.ts';
import { readAmount, readFee } from '../actions/read-input.ts';
import { showRefusals } from '../actions/refusals.ts';
import { notFound } from '../actions/refused.ts';
import { ACTOR, type AdminOperation, amount, operation, text } from './operation.ts';

const entryId = z.coerce.number().int().min(1);

export const ACCOUNT_OPERATIONS: readonly AdminOperation[] = [
  operation('GET /api/admin/accounts', {
    id: 'listAccounts',
    summary:
      'Every account with its figures of 30 days, largest first unless `order` is `asc`; `next_cursor`, if not null, is `cursor` of the next page. `q` finds by account, key or request id, the last four of a key, a card’s serial or code (of who redeemed it), a login name, or a part of the nickname.',
    query: z.object({
      sort: z.enum(ACCOUNT_SORTS).default('created'),
      order: z.enum(['asc', 'desc']).optional(),
      q: text.optional(),
      cursor: text.optional(),
      limit: z.coerce.number().int().min(1).max(200).default(50),
    }),
    run: (tools, { query }) => listAccounts(tools, query),
  }),
  operation('GET /api/admin/accounts/:id', {
    id: 'showAccount',
    summary:
      'Wallet, holds, entries, credits, keys, usage, and what operators did. Entries, credits and usage are pages, newest first: `entries_next`, `credits_next` and `usage_next`, if not null, are `entries_before`, `credits_before` and `usage_cursor` of the next one.',
    query: z.object({
      entries_before: entryId.optional(),
      credits_before: entryId.optional(),
      usage_cursor: text.optional(),
    }),
    async run(tools, { params, query }) {
      const { usage, ...account } = await showAccount(tools, params.id, {
        entriesBefore: query.entries_before,
        creditsBefore: query.credits_before,
        usageCursor: query.usage_cursor,
      });
      return { ...account, usage: usage.map(publicRecord) };
    },
  }),
  operation('PATCH /api/admin/accounts/:id', {
    id: 'describeAccount',
    summary: 'What you call the account, and a note about it; the customer sees neither. `null` removes one.',
    body: z.strictObject({ nickname: text.nullable().optional(), note: text.nullable().optional() }),
    async run(tools, { params, body }) {
      await describeAccount(tools, params.id, { ...body, actor: ACTOR });
      return { accountId: params.id, ...(await tools.store.read.accountNote(params.id)) };
    },
  }),
  operation('GET /api/admin/accounts/:id/requests/:request', {
    id: 'showRequest',
    summary: 'What is known of one request: its usage record with what was held and every attempt, or that it runs.',
    async run(tools, { params }) {
      const requestId = params.request;
      const found = await showRequest(tools, params.id, requestId);
      if (found.isOpen) return { requestId, ...found };
      const { record, refunded } = found;
      if (!record) throw notFound(`record of request ${requestId} any more`);
      return { ...publicRecord(record), isOpen: false, held: record.held, refunded, attempts: record.attempts };
    },
  }),
  operation('POST /api/admin/accounts/:id/credit', {
    id: 'creditAccount',
    summary:
      'Add balance, with a reason that stays in the ledger; `once` never credits twice. `topup`: the customer paid for it, so it can be paid out. `refund`: the same as a refund of an amount.',
    body: z.strictObject({
      amount_ntd: amount,
      reason: text,
      kind: z.enum(['credit', 'topup', 'refund']).default('credit'),
      once: text.optional(),
    }),
    run: (tools, { params, body: { amount_ntd, ...rest } }) =>
      credit(tools, params.id, { amount: readAmount(amount_ntd, 'amount_ntd'), ...rest, actor: ACTOR }),
  }),
  ...(['freeze', 'thaw'] as const).map((verb) =>
    operation(`POST /api/admin/accounts/:id/${verb}`, {
      id: `${verb}Account`,
      summary:
        verb === 'freeze'
          ? 'Admit nothing on this account any more.'
          : 'Admit requests again; entries that were written with a wrong balance are accepted.',
      body: z.strictObject({ reason: text }),
      async run(tools, { params, body: { reason } }) {
        const frozen = verb === 'freeze';
        await setFrozen(tools, params.id, { frozen, reason, actor: ACTOR });
        return { accountId: params.id, frozen };
      },
    }),
  ),
  operation('POST /api/admin/accounts/:id/keys', {
    id: 'createKey',
    summary: 'A managing key for who lost theirs; it is in this answer only.',
    status: 201,
    body: z.strictObject({ name: text.nullable().default(null) }),
    run: (tools, { params, body: { name } }) => createKey(tools, params.id, { name, actor: ACTOR }),
  }),
  operation('DELETE /api/admin/keys/:id', {
    id: 'revokeKey',
    summary: 'Stop a key on every node within a second.',
    async run(tools, { params }) {
      const { accountId } = await revokeKey(tools, params.id, ACTOR);
      return { id: params.id, accountId, revoked: true };
    },
  }),
  operation('GET /api/admin/refusals', {
    id: 'showRefusals',
    summary:
      'Refused requests without their content: the newest 100 of an account of the last 7 days, with counts by day, key and code of 30 days, or one by its id. Without a query: the newest 1,000 whose account is unknown, at most 250 of each code. A new one appears within 5 seconds.',
    query: z.object({ account: text.optional(), request_id: text.optional() }),
    run: (tools, { query }) => showRefusals(tools, { accountId: query.account, requestId: query.request_id }),
  }),
  operation('POST /api/admin/accounts/:id/refund', {
    id: 'refundAccount',
    summary:
      'Return money to the balance, against revenue. With `request_id`: at most what the request cost and was not refunded yet, all of it without `amount_ntd`. With `card` (a serial): at most the card’s amount, and of a sold card at most the paid balance that was spent. With `amount_ntd` alone: any amount. Calls with the same `once` refund only once.',
    body: z.strictObject({
      request_id: text.optional(),
      card: text.optional(),
      amount_ntd: amount.optional(),
      reason: text,
      once: text.optional(),
    }),
    run: (tools, { params, body: { request_id, amount_ntd, ...rest } }) =>
      refund(tools, params.id, {
        ...rest,
        requestId: request_id,
        amount: amount_ntd === undefined ? undefined : readAmount(amount_ntd, 'amount_ntd'),
        actor: ACTOR,
      }),
  }),
  operation('POST /api/admin/accounts/:id/payout', {
    id: 'payOutAccount',
    summary:
      'Book money that was sent back to the customer. `amount_ntd` and `fee_ntd` together are at most the paid part of the balance that no running request holds: trial and promotion credit is spent first and never paid out. An account that you froze can be paid out, one that the audit froze cannot (`frozen_by_audit`). `once` never pays twice.',
    body: z.strictObject({
      amount_ntd: amount,
      fee_ntd: amount.optional().describe('Kept by you, beside the amount.'),
      reason: text,
      once: text.optional(),
    }),
    run: (tools, { params, body: { amount_ntd, fee_ntd, ...rest } }) =>
      payout(tools, params.id, {
        ...rest,
        amount: readAmount(amount_ntd, 'amount_ntd'),
        fee: fee_ntd === undefined ? 0n : readFee(fee_ntd, 'fee_ntd'),
        actor: ACTOR,
      }),
  }),
  operation('GET /api/admin/accounts/:id/statements/:month', {
    id: 'showStatement',
    summary:
      'A month (2026-11) in Taipei time: opening and closing balance, sums by kind, spend by model, and the entries that are not of requests, at most 200 (`has_more_entries`; the file of the console has all). All amounts include tax.',
    async run(tools, { params }) {
      const { from: _, to: __, ...statement } = await showStatement(tools, params.id, params.month);
      return statement;
    },
  }),
  operation('PUT /api/admin/accounts/:id/billing', {
    id: 'setBilling',
    summary: 'The name and the tax ID (統一編號) on the statements of an account; null: none.',
    body: z.strictObject({ name: text.nullable().default(null), tax_id: text.nullable().default(null) }),
    run: (tools, { params, body: { name, tax_id } }) =>
      setBilling(tools, params.id, { name: name ?? '', taxId: tax_id ?? '', actor: ACTOR }),
  }),
];
