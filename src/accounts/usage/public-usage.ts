// A usage record as the API, the page and the CSV show it.

import { z } from 'zod';
import { moneyFields } from '../../kit/money.ts';
import { amount, count, each, flag, idOf, named, text, time } from '../../kit/shapes.ts';
import type { UsageTotals } from '../../store/reads.ts';
import type { UsageRecord } from '../../store/rows.ts';

const counted = {
  ...each(count, 'input_tokens', 'cached_input_tokens', 'cache_write_5m_tokens', 'cache_write_1h_tokens'),
  output_tokens: count,
  reasoning_tokens: count.describe('Part of output_tokens.'),
  images: count,
};
/** Last: programs know the columns of the file by their order. */
const otherUnits = {
  seconds: count.describe('Of audio.'),
  characters: count.describe('Of text that was spoken.'),
  searches: count.describe('Of a rerank.'),
};

export const usageRecord = named('UsageRecord', {
  request_id: idOf('req'),
  at: time,
  key_id: idOf('key'),
  model: text,
  channel: text.nullable().describe('The value of x-svc-channel; null if no channel served.'),
  endpoint: text,
  status: text.describe('ok, the code of an error, client_gone, time_limit or gateway_died.'),
  stream: flag,
  ...counted,
  first_token_ms: count.nullable(),
  total_ms: count.nullable(),
  ...amount('cost', 'what was charged'),
  ...amount('balance_after', 'the balance after it'),
  estimated: flag.describe('Counted by the gateway, because the upstream did not report all of it.'),
  revision: count.describe('The catalog revision that priced it.'),
  ...otherUnits,
});

export const usageTotals = z.object({
  requests: count,
  ...counted,
  ...otherUnits,
  ...amount('cost', 'what was charged'),
});

export function publicRecord(record: UsageRecord): z.output<typeof usageRecord> {
  return {
    request_id: record.requestId,
    at: new Date(record.at).toISOString(),
    key_id: record.keyId,
    model: record.model,
    channel: record.channel,
    endpoint: record.endpoint,
    status: record.status,
    stream: record.stream,
    ...publicCounts(record),
    first_token_ms: record.firstTokenMs,
    total_ms: record.totalMs,
    ...moneyFields('cost', record.cost),
    ...moneyFields('balance_after', record.balanceAfter),
    estimated: record.estimated,
    revision: record.revision,
  };
}

export function publicTotals(totals: UsageTotals): z.output<typeof usageTotals> {
  return { requests: totals.requests, ...publicCounts(totals), ...moneyFields('cost', totals.cost) };
}

function publicCounts(counts: Omit<UsageTotals, 'requests' | 'cost'>) {
  return {
    input_tokens: counts.input,
    cached_input_tokens: counts.cachedInput,
    cache_write_5m_tokens: counts.cacheWrite5m,
    cache_write_1h_tokens: counts.cacheWrite1h,
    output_tokens: counts.output,
    reasoning_tokens: counts.reasoning,
    images: counts.images,
    seconds: counts.seconds,
    characters: counts.characters,
    searches: counts.searches,
  };
}
