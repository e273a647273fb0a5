// POST /api/agent/register: returns a key and NT$1 within the limits; refuses web pages of other sites.

import { z } from 'zod';
import { keyText } from '../../accounts/keys/public-key.ts';
import { registerAgent } from '../../accounts/register-agent.ts';
import { idempotencyHeaders } from '../../accounts/replays.ts';
import { FREE_MODEL } from '../../catalog/document.ts';
import { fault } from '../../faults/fault.ts';
import { isCrossSite } from '../../kit/cross-site.ts';
import { amount, anyObject, each, idOf, isDemo, named, text, url } from '../../kit/shapes.ts';
import { originOf } from '../client-address.ts';
import type { Exchange, HttpTools } from '../exchange.ts';
import { idempotencyKey, OURS, openRoute, readIdempotencyKey } from '../operation.ts';
import { readOptionalJson } from '../read-body.ts';
import { limits } from './account.ts';

const MAX_BYTES = 4 * 1024;
const MIN_KEY_CHARS = 20;

const registration = named('Registration', {
  api_key: keyText,
  free_model: z.literal(FREE_MODEL).nullable().describe('Works at NT$0; null if this server has none.'),
  demo: isDemo,
  ...amount('trial', 'trial credit'),
  account_id: idOf('acc'),
  key_id: idOf('key'),
  ...amount('balance', 'the balance'),
  base_url: url,
  openai_base_url: url.describe('What clients of the OpenAI format take as their base URL.'),
  anthropic_base_url: url.describe('The same for the Anthropic format.'),
  ...each(url, 'account_url', 'pricing_url', 'docs_url', 'status_url', 'security_url'),
  limits,
  env: z
    .object({
      OPENAI_BASE_URL: url,
      OPENAI_API_KEY: text,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: text,
      ANTHROPIC_API_KEY: z.literal('').describe('Empty, so that no other key is used instead: unset it, or set it so.'),
      ANTHROPIC_MODEL: text.optional().describe('The free model, or another if this server has none.'),
      ...each(text.optional(), 'ANTHROPIC_DEFAULT_HAIKU_MODEL', 'ANTHROPIC_DEFAULT_SONNET_MODEL'),
      ...each(text.optional(), 'ANTHROPIC_DEFAULT_OPUS_MODEL', 'ANTHROPIC_DEFAULT_FABLE_MODEL'),
      CLAUDE_CODE_MAX_CONTEXT_TOKENS: text.optional().describe('How much input a request of it may have.'),
    })
    .describe('Variables that SDKs and command lines read.'),
  next_steps: z.array(z.object({ why: text, run: text.describe('A line that runs when pasted into a shell.') })),
});

export const register = openRoute('POST /api/agent/register', {
  id: 'register',
  tag: 'account',
  summary: 'Get an account and a key with NT$1 of trial credit',
  description: 'No human and no form is needed. The body may be empty; what is in it is ignored.',
  maxBytes: MAX_BYTES,
  requestHeaders: idempotencyKey(MIN_KEY_CHARS),
  body: anyObject,
  isBodyOptional: true,
  example: {},
  status: 201,
  result: 'The account, its key, and calls that run when pasted.',
  answer: registration,
  answerHeaders: ['idempotency-hit'],
  faults: [
    'cross_site_refused',
    'idempotency_key_reused',
    'registration_ip_limit',
    'registration_site_limit',
    'rate_limited',
    ...OURS,
  ],
  handle: handleRegister,
});

async function handleRegister(tools: HttpTools, exchange: Exchange): Promise<Response> {
  const { request } = exchange;
  if (isCrossSite(request.headers, tools.publicUrl)) throw fault('cross_site_refused');
  const origin = originOf(tools, exchange);
  const { address } = origin;
  tools.addressGuards.countRegisterAttempt(address, tools.catalog().guards.register_attempts_per_minute);
  const document = await readOptionalJson(request, MAX_BYTES, tools.clock);
  const idempotency = readIdempotencyKey(tools.beginIdempotency, request, document.text, {
    scope: `register:${address}`,
    minChars: MIN_KEY_CHARS,
  });
  const { answer, isReplay } = await registerAgent(tools, origin, idempotency);
  return Response.json(answer, { status: 201, headers: idempotencyHeaders(isReplay) });
}
