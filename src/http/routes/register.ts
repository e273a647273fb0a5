// POST /api/agent/register: a key and NT$1 for whoever asks, within the limits; but not for web pages of other sites.

import { registerAgent } from '../../accounts/register-agent.ts';
import { idempotencyHeaders } from '../../accounts/replays.ts';
import { fault } from '../../faults/fault.ts';
import { isCrossSite } from '../../kit/cross-site.ts';
import { originOf } from '../client-address.ts';
import type { Exchange, HttpTools } from '../exchange.ts';
import { readIdempotencyKey } from '../idempotency-key.ts';
import { readOptionalJson } from '../read-body.ts';

export const REGISTER_MAX_BYTES = 4 * 1024;

export async function register(tools: HttpTools, exchange: Exchange): Promise<Response> {
  const { request } = exchange;
  if (isCrossSite(request.headers, tools.publicUrl)) throw fault('cross_site_refused');
  const origin = originOf(tools, exchange);
  const { address } = origin;
  tools.doors.countKnock(address, tools.catalog().guards.register_attempts_per_minute);
  const document = await readOptionalJson(request, REGISTER_MAX_BYTES, tools.clock);
  const idempotency = readIdempotencyKey(tools.beginIdempotency, request, document.text, {
    scope: `register:${address}`,
    minChars: 20,
  });
  const { answer, isReplay } = await registerAgent(tools, origin, idempotency);
  return Response.json(answer, { status: 201, headers: idempotencyHeaders(isReplay) });
}
