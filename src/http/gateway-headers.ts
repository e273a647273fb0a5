// The headers of `/v1` answers that no upstream gave: model lists, token counts, and answers without any
// output. They cost nothing; a stream reports that in its usage.

import { readFreeAllowances } from '../accounts/account.ts';
import { RESERVED_CHANNEL } from '../catalog/document.ts';
import type { Envelope } from '../faults/write.ts';
import { rateHeaders } from '../limits/rate-headers.ts';
import { addCost } from '../relay/answer-headers.ts';
import type { HttpTools, KeyedExchange } from './exchange.ts';

export async function gatewayHeaders(
  tools: HttpTools,
  { key }: KeyedExchange,
  names: Envelope,
  { isStream = false } = {},
): Promise<Record<string, string>> {
  const { tighter, wallet } = await readFreeAllowances(tools, key.accountId);
  const headers = { 'x-svc-channel': RESERVED_CHANNEL, ...rateHeaders(tighter, tools.clock.now(), names) };
  if (wallet && !isStream) addCost(headers, { cost: 0n, balance: wallet.balance });
  return headers;
}
