// A receipt: the usage record, every bucket's price in the revision that priced it, at the moment that counts, and every attempt.

import { publicTier } from '../../catalog/public-price.ts';
import { fault } from '../../faults/fault.ts';
import { moneyFields } from '../../kit/money.ts';
import { tierFor } from '../../kit/prices.ts';
import { inputOf, receiptLines } from '../../ledger/cost.ts';
import type { Store } from '../../store/store.ts';
import type { PricesAt } from '../prices-at.ts';
import { explainCharge } from './explain-charge.ts';
import { publicRecord } from './public-usage.ts';
import { type Viewer, visibleKeyIds } from './visible-keys.ts';

export const REQUEST_ID = /^req_[0-9a-z]+$/;
const NOT_CLOSED = 'This request is still running, so it has no receipt yet. Retry when it has ended.';

export interface ReceiptTools {
  store: Store;
  pricesAt: PricesAt;
}

export type Receipt = Awaited<ReturnType<typeof readReceipt>>;

export async function readReceipt(tools: ReceiptTools, viewer: Viewer, requestId: string) {
  const { store, pricesAt } = tools;
  const { accountId } = viewer;
  // PostgreSQL refuses to search for characters that it cannot store.
  if (!REQUEST_ID.test(requestId)) throw fault('not_found');
  // Holds first: a request that ends in between has its record.
  const hold = (await store.read.openHolds(accountId)).find((one) => one.requestId === requestId);
  const record = hold ? undefined : await store.read.usageRecord(accountId, requestId);
  const keyId = hold?.keyId ?? record?.keyId;
  const visible = await visibleKeyIds(store, viewer);
  if (keyId === undefined || visible?.includes(keyId) === false) throw fault('not_found');
  if (!record) throw fault('not_found', { message: NOT_CLOSED });
  const prices = await pricesAt(record.revision, record.model, record.pricedAt ?? record.at);
  /** The one whose prices apply because of the length of the input. */
  const tier = tierFor(prices, inputOf(record));
  const refunded = (await store.read.refundedOf(requestId))?.refunded ?? 0n;
  return { record, lines: receiptLines(record, prices, record.cost), tier, refunded };
}

export async function showReceipt(tools: ReceiptTools, viewer: Viewer, requestId: string) {
  const { record, lines, tier, refunded } = await readReceipt(tools, viewer, requestId);
  return {
    ...publicRecord(record),
    ...moneyFields('refunded', refunded),
    rule: record.rule,
    explanation: explainCharge(record),
    price_tier: tier ? publicTier(tier) : null,
    service_tier: record.serviceTier,
    tool_calls: record.toolCalls ?? {},
    lines: lines.map((line) => ({
      bucket: line.bucket,
      quantity: line.quantity,
      unit_price_nano: line.unitPrice.toString(),
      amount_nano: line.amount.toString(),
    })),
    attempts: record.attempts,
  };
}
