// /api/admin/cards and batches.

import { z } from 'zod';
import {
  CARD_STATES,
  cardSheet,
  issueCards,
  listBatches,
  listCards,
  MAX_CARDS,
  showBatch,
  voidCards,
} from '../actions/cards.ts';
import { readAmount } from '../actions/read-input.ts';
import { PortRefused } from '../port/refused.ts';
import { ACTOR, type AdminOperation, amount, operation, paged, text } from './operation.ts';

export const CARD_OPERATIONS: readonly AdminOperation[] = [
  operation('POST /api/admin/cards', {
    id: 'issueCards',
    summary: 'Issue a batch. The codes are in this answer, and nowhere else later.',
    status: 201,
    body: z.strictObject({
      amount_ntd: amount,
      count: z.number().int().min(1).max(MAX_CARDS),
      kind: z.enum(['sold', 'promo']).default('sold'),
      expires: text.optional(),
      note: text.optional(),
    }),
    run: (tools, { body: { amount_ntd, ...rest } }) =>
      issueCards(tools, { amount: readAmount(amount_ntd, 'amount_ntd'), ...rest, actor: ACTOR }),
  }),
  operation('GET /api/admin/cards', {
    id: 'listCards',
    summary: 'Cards by batch, state or serial; codes cannot be shown again.',
    query: paged(MAX_CARDS)
      .omit({ before: true })
      .extend({
        batch_id: text.optional(),
        state: z.enum(CARD_STATES).optional(),
        serial: text.optional(),
      }),
    run: async (tools, { query: { batch_id: batchId, state, serial, limit } }) => ({
      data: await listCards(tools, { batchId, state, serials: serial === undefined ? undefined : [serial] }, limit),
    }),
  }),
  operation('POST /api/admin/cards/void', {
    id: 'voidCards',
    summary: 'Void cards that are not redeemed.',
    body: z.strictObject({ serials: z.array(text).min(1).max(MAX_CARDS) }),
    run: async (tools, { body }) => ({ data: await voidCards(tools, body.serials, ACTOR) }),
  }),
  operation('GET /api/admin/batches', {
    id: 'listBatches',
    summary: 'Batches, newest first, with their cards by state.',
    query: paged().omit({ before: true }),
    run: async (tools, { query }) => ({ data: await listBatches(tools, query.limit) }),
  }),
  operation('GET /api/admin/batches/:id', {
    id: 'showBatch',
    summary: 'One batch.',
    run: (tools, { params }) => showBatch(tools, params.id),
  }),
  operation('GET /api/admin/batches/:id/codes', {
    id: 'showCodes',
    summary: 'Codes and links of a batch that this node issued within the last 15 minutes.',
    async run(tools, { params }) {
      const sheet = await cardSheet(tools, params.id);
      if (sheet) return { data: sheet.cards };
      throw new PortRefused(410, 'codes_forgotten', 'Issue new cards: the codes of these are no longer known.');
    },
  }),
];
