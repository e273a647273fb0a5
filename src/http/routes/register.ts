// POST /api/agent/register: a key and NT$1 for whoever asks, within the limits; but not for web pages of other sites.

import { registerAgent } from '../../accounts/register-agent.ts';
import { fault } from '../../faults/fault.ts';
import { addressOf } from '../client-address.ts';
import type { Exchange, HttpTools } from '../exchange.ts';
import { idempotencyHeaders, readIdempotencyKey } from '../idempotency-key.ts';
import { readOptionalJson } from '../read-body.ts';

export const REGISTER_MAX_BYTES = 4 * 1024;

export async function register(tools: HttpTools, exchange: Exchange): Promise<Response> {
  const { request } = exchange;
  refuseCrossSite(request, tools.publicUrl);
  const address = addressOf(tools, exchange);
  tools.doors.countKnock(address, tools.catalog().guards.register_attempts_per_minute);
  const document = await readOptionalJson(request, REGISTER_MAX_BYTES, tools.clock);
  const idempotency = readIdempotencyKey(tools.beginIdempotency, request, document.text, {
    scope: `register:${address}`,
    minChars: 20,
  });
  const { answer, isReplay } = await registerAgent(tools, address, idempotency);
  return Response.json(answer, {
    status: 201,
    headers: { 'cache-control': 'no-store', ...idempotencyHeaders(isReplay) },
  });
}

/** Browsers mark what a page of another site sends; programs send neither header. */
function refuseCrossSite(request: Request, publicUrl: string): void {
  const site = request.headers.get('sec-fetch-site');
  if (site !== null) {
    if (site !== 'same-origin' && site !== 'none') throw fault('cross_site_refused');
    return;
  }
  const origin = request.headers.get('origin');
  if (origin === null) return;
  const host = request.headers.get('host') ?? '';
  const own = [new URL(publicUrl).origin, `http://${host}`, `https://${host}`];
  if (!own.includes(origin)) throw fault('cross_site_refused');
}
