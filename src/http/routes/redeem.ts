// POST /api/redeem: balance from a prepaid card.

import { redeemCard } from '../../accounts/redeem-card.ts';
import { idempotencyHeaders } from '../../accounts/replays.ts';
import { addressOf } from '../client-address.ts';
import type { HttpTools, KeyedExchange } from '../exchange.ts';
import { readIdempotencyKey } from '../idempotency-key.ts';
import { readKeyedJson } from '../read-keyed-body.ts';

export const REDEEM_MAX_BYTES = 4 * 1024;

export async function redeem(tools: HttpTools, exchange: KeyedExchange): Promise<Response> {
  const { request } = exchange;
  const address = addressOf(tools, exchange);
  const { document, key } = await readKeyedJson(tools, exchange, REDEEM_MAX_BYTES);
  const idempotency = readIdempotencyKey(tools.beginIdempotency, request, document.text, {
    scope: `redeem:${key.accountId}`,
    minChars: 1,
  });
  const { answer, isReplay } = await redeemCard(tools, key.accountId, document.value, address, idempotency);
  return Response.json(answer, { headers: idempotencyHeaders(isReplay) });
}
