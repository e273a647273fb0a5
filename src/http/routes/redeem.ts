// POST /api/redeem: balance from a prepaid card.

import { idempotencyHeaders } from '../../accounts/idempotency-headers.ts';
import { redeemCard } from '../../accounts/redeem-card.ts';
import { addressOf } from '../client-address.ts';
import type { HttpTools, KeyedExchange } from '../exchange.ts';
import { readIdempotencyKey } from '../idempotency-key.ts';
import { readBodyJson } from '../read-body.ts';

export const REDEEM_MAX_BYTES = 4 * 1024;

export async function redeem(tools: HttpTools, exchange: KeyedExchange): Promise<Response> {
  const { request, key } = exchange;
  const address = addressOf(tools, exchange);
  const document = await readBodyJson(request, REDEEM_MAX_BYTES, tools.clock);
  const idempotency = readIdempotencyKey(tools.beginIdempotency, request, document.text, {
    scope: `redeem:${key.accountId}`,
    minChars: 1,
  });
  const { answer, isReplay } = await redeemCard(tools, key.accountId, document.value, address, idempotency);
  return Response.json(answer, { headers: idempotencyHeaders(isReplay) });
}
