// /api/admin/accounts/{id}/refund, payout, statements and billing: money back to a customer, and what is printed of it.

import { z } from 'zod';
import { setBilling, showStatement } from '../actions/billing.ts';
import { readAmount, readFee } from '../actions/read-input.ts';
import { payout, refund } from '../actions/refunds.ts';
import { ACTOR, type AdminOperation, operation } from './operation.ts';
import { amount, text } from './shapes.ts';

export const REFUND_OPERATIONS: readonly AdminOperation[] = [
  operation('POST /api/admin/accounts/:id/refund', {
    id: 'refundAccount',
    summary:
      'Return money to the balance, against revenue. With `request_id`: at most what the request cost and was not refunded yet, all of it without `amount_ntd`. With `card` (a serial): at most the card’s amount, and of a sold card at most the paid balance that was spent. With `amount_ntd` alone: any amount. `once` never refunds twice.',
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
