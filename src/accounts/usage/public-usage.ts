// A usage record as the API, the page and the CSV show it.

import { moneyFields } from '../../kit/money.ts';
import type { UsageTotals } from '../../store/reads.ts';
import type { UsageRecord } from '../../store/rows.ts';

export function publicRecord(record: UsageRecord) {
  return {
    request_id: record.requestId,
    at: new Date(record.at).toISOString(),
    key_id: record.keyId,
    model: record.model,
    channel: record.channel,
    endpoint: record.endpoint,
    status: record.status,
    stream: record.stream,
    input_tokens: record.input,
    cached_input_tokens: record.cachedInput,
    cache_write_5m_tokens: record.cacheWrite5m,
    cache_write_1h_tokens: record.cacheWrite1h,
    output_tokens: record.output,
    reasoning_tokens: record.reasoning,
    images: record.images,
    first_token_ms: record.firstTokenMs,
    total_ms: record.totalMs,
    ...moneyFields('cost', record.cost),
    ...moneyFields('balance_after', record.balanceAfter),
    estimated: record.estimated,
    revision: record.revision,
  };
}

export function publicTotals(totals: UsageTotals) {
  return {
    requests: totals.requests,
    input_tokens: totals.input,
    cached_input_tokens: totals.cachedInput,
    cache_write_5m_tokens: totals.cacheWrite5m,
    cache_write_1h_tokens: totals.cacheWrite1h,
    output_tokens: totals.output,
    reasoning_tokens: totals.reasoning,
    images: totals.images,
    ...moneyFields('cost', totals.cost),
  };
}
