// The headers of `/v1` answers that no upstream gave: model lists and token counts.

import { readFreeAllowances } from '../accounts/free-allowances.ts';
import { RESERVED_CHANNEL } from '../catalog/document.ts';
import type { Envelope } from '../faults/write.ts';
import { rateHeaders } from '../limits/rate-headers.ts';
import type { HttpTools, KeyedExchange } from './exchange.ts';

export async function gatewayHeaders(
  tools: HttpTools,
  { key }: KeyedExchange,
  names: Envelope,
): Promise<Record<string, string>> {
  const { tighter } = await readFreeAllowances(tools, key.accountId);
  return { 'x-svc-channel': RESERVED_CHANNEL, ...rateHeaders(tighter, tools.clock.now(), names) };
}
