// The account's calls for a key: balance, usage, receipts, cards.

import { z } from 'zod';
import { accountFields, changeAccount, showAccount } from '../../accounts/account.ts';
import { COUNTED_BUDGETS, spendingMembers } from '../../accounts/keys/key-spending.ts';
import { keyMembers } from '../../accounts/keys/public-key.ts';
import { cardGiven, redeemCard } from '../../accounts/redeem-card.ts';
import { publicRecord, publicTotals, usageRecord, usageTotals } from '../../accounts/usage/public-usage.ts';
import { usageFilters, usageQueryOf, writeCursor } from '../../accounts/usage/read-query.ts';
import { showReceipt } from '../../accounts/usage/show-receipt.ts';
import { keyUsage, keyUsageFile, publicKeyUsage, readUsageByKey } from '../../accounts/usage/usage-by-key.ts';
import { openUsageFile } from '../../accounts/usage/usage-file.ts';
import { readVisibleKeys, requireVisible, viewerOf } from '../../accounts/usage/visible-keys.ts';
import {
  amount,
  count,
  each,
  flag,
  idOf,
  isList,
  named,
  number,
  older,
  olderAmount,
  text,
  time,
} from '../../kit/shapes.ts';
import type { UsageQuery } from '../../store/reads.ts';
import { CHARGE_RULES, type KeyRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { addressOf } from '../client-address.ts';
import { accountCall } from '../operation.ts';

/** Present only if the key has a daily budget. */
const dayMembers = z.object({
  ...olderAmount('daily_spent', 'spent.day'),
  ...olderAmount('daily_held', 'held'),
  ...olderAmount('daily_left', 'left.day'),
  daily_resets_at: older(time, 'resets_at.day'),
});
export const limits = named('Limits', {
  ...each(count, 'free_per_minute', 'free_per_day_zero', 'free_per_day_positive', 'register_per_ip'),
  ...each(count, 'register_per_day', 'paid_per_minute', 'in_flight'),
  free_in_flight: count.nullable().describe('Free requests at once; null: no limit.'),
});

const ownKey = named('OwnKey', {
  ...keyMembers,
  ...spendingMembers,
  ...dayMembers.partial().shape,
  ancestors_left: z
    .object({
      budget: z.enum(COUNTED_BUDGETS),
      ...amount('left', 'what is left of it'),
      resets_at: time.nullable().describe('null: never'),
    })
    .nullable()
    .describe('The budget of its ancestors with the least left; null without one.'),
});
const allowance = named('Allowance', { limit: count, used: count, remaining: count, resets_at: time });

const account = named('Account', {
  account_id: idOf('acc'),
  key: ownKey,
  ...amount('balance', 'the sum of the entries'),
  ...amount('held', 'what running requests may still cost'),
  ...amount('available', 'balance less held'),
  ...amount('balance_low', 'a charge that brings the balance below it adds the event balance.low'),
  free: z.object({ minute: allowance, day: allowance }),
  limits,
});

const usagePage = named('UsagePage', {
  object: isList,
  data: z.array(usageRecord),
  has_more: flag,
  next_cursor: text.nullable(),
  totals: usageTotals.describe('Of everything the filters find, not only of this page.'),
  by_key: z.array(keyUsage).optional().describe('With group_by=key: parents before their children.'),
});

const receipt = named('Receipt', {
  ...usageRecord.shape,
  ...amount('refunded', 'what was returned of the cost'),
  rule: z
    .enum(CHARGE_RULES)
    .nullable()
    .describe('Which rule of the billing table decided the cost; null for requests from before there were rules.'),
  explanation: text.nullable().describe('The rule in one sentence, with its amounts; null without a rule.'),
  price_tier: z
    .object({ above_input_tokens: count.optional(), from_input_tokens: count.optional() })
    .nullable()
    .describe('The tier for long input whose prices apply, by where it begins; null for the standard prices.'),
  service_tier: text.nullable().describe('The service tier that is charged; null for the standard one.'),
  tool_calls: z.record(z.string(), count).describe('Calls of tools of the upstream that are charged, by tool.'),
  lines: z
    .array(z.object({ bucket: text, quantity: count, unit_price_nano: text, amount_nano: text }))
    .describe(
      'They sum to the cost. `tool:NAME` is a tool of the upstream, by its calls. `written_off` takes off what is not charged; `loss_guard` is what is charged because the requests without a charge of this day are used up.',
    ),
  attempts: z.array(
    z.object({
      channel: text,
      outcome: text,
      ms: number.min(0),
      model: text.optional().describe('Where several models could answer.'),
      routing: z
        .literal('caller')
        .optional()
        .describe('The request said by `models` or `provider` which models and channels may answer.'),
    }),
  ),
});

const redeemed = named('Redeemed', {
  card_serial: text,
  ...amount('amount', 'the worth of the card'),
  ...amount('credited', 'what this call added: 0 if the account had redeemed the card before'),
  ...amount('balance', 'the balance after it'),
  already_redeemed: flag.describe('This account had redeemed the card before; nothing was added now.'),
});

const usageQuery = z.object({
  format: z
    .enum(['csv', 'json'], 'format must be csv or json.')
    .optional()
    .describe('json if not said; csv: up to 100,000 records as UTF-8 with a byte-order mark.'),
  group_by: z
    .literal('key', 'group_by must be key.')
    .optional()
    .describe('Adds by_key: the sums of each key, alone and with its subtree. As csv: these sums instead of records.'),
  ...usageFilters.shape,
});

const CSV_HEADERS = {
  'content-type': 'text/csv; charset=utf-8',
  'content-disposition': 'attachment; filename="usage.csv"',
};

export const ACCOUNT_CALLS = [
  accountCall('GET /api/me', {
    id: 'showAccount',
    summary: 'Balance, the key that asks, and the free requests left',
    result: 'The account.',
    answer: account,
    run: (tools, { key }) => showAccount(tools, key),
  }),
  accountCall('PATCH /api/me', {
    id: 'changeAccount',
    summary: 'Set the balance below which the account has the event balance.low',
    auth: 'manage',
    maxBytes: 4 * 1024,
    outline: accountFields,
    example: { balance_low_ntd: 20 },
    result: 'The account as it is now.',
    answer: account,
    async run(tools, { key, document }) {
      await changeAccount(tools, key, document);
      return showAccount(tools, key);
    },
  }),
  accountCall('GET /api/usage', {
    id: 'listUsage',
    summary: 'Every admitted request, newest first; for a key with a parent, those of its own subtree',
    query: usageQuery,
    result: 'A page of records, or all of them as CSV.',
    answer: usagePage,
    alsoAs: { 'text/csv': text },
    faults: ['not_found'],
    async run(tools, { key, query: { format, group_by: groupBy, ...filters }, exchange }) {
      const { store } = tools;
      const viewer = viewerOf(key);
      await requireVisible(store, viewer, filters.subtree);
      const query = await usageQueryOf(tools, viewer, filters);
      const keys = groupBy && (await readVisibleKeys(store, viewer, filters.subtree));
      if (format !== 'csv') return listUsage(store, query, keys);
      if (keys) {
        return new Response(keyUsageFile(await readUsageByKey(store, query, keys)), { headers: CSV_HEADERS });
      }
      const file = await openUsageFile(tools, query, { gone: exchange.request.signal });
      return new Response(file, { headers: CSV_HEADERS });
    },
  }),
  accountCall('GET /api/receipts/:id', {
    id: 'showReceipt',
    summary: 'How the cost of one request came about, and every attempt',
    params: { id: idOf('req').describe('The id of a request, as in x-request-id.') },
    result: 'The receipt.',
    answer: receipt,
    faults: ['not_found'],
    run: (tools, { key, params }) => showReceipt(tools, viewerOf(key), params.id),
  }),
  accountCall('POST /api/redeem', {
    id: 'redeem',
    summary: 'Add balance from a prepaid card',
    maxBytes: 4 * 1024,
    body: cardGiven,
    example: { code: 'PC-…' },
    once: ({ accountId }) => `redeem:${accountId}`,
    result: 'The balance has it, on disk.',
    answer: redeemed,
    faults: ['card_code_malformed', 'card_not_redeemable', 'redeem_rate_limited'],
    run: (tools, { key, body, idempotency, exchange }) =>
      redeemCard(tools, key.accountId, body, addressOf(tools, exchange), idempotency),
  }),
];

/** One page of usage. `keys`: those to sum for, in tree order; undefined: nothing is summed. */
async function listUsage(store: Store, query: UsageQuery, keys?: readonly KeyRow[]) {
  const [{ records, hasMore, totals }, usage] = await Promise.all([
    store.read.usagePage(query),
    keys && readUsageByKey(store, query, keys),
  ]);
  const last = records.at(-1);
  return {
    object: 'list' as const,
    data: records.map(publicRecord),
    has_more: hasMore,
    next_cursor: hasMore && last ? writeCursor(last.at, last.requestId) : null,
    totals: publicTotals(totals),
    ...(usage ? { by_key: usage.map(publicKeyUsage) } : {}),
  };
}
