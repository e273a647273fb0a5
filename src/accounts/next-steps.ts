// What a new account can do with its key: variables for clients, and first calls as commands to paste.

import { FREE_MODEL } from '../catalog/document.ts';

interface ClientSettings {
  publicUrl: string;
  freeInputTokens: number | undefined;
}

/** Besides its main model, Claude Code calls others by these names. */
const CLAUDE_CODE_MODELS = ['HAIKU', 'SONNET', 'OPUS', 'FABLE'];

export function clientVariables({ publicUrl, freeInputTokens }: ClientSettings, apiKey: string) {
  return {
    OPENAI_BASE_URL: `${publicUrl}/v1`,
    OPENAI_API_KEY: apiKey,
    ANTHROPIC_BASE_URL: publicUrl,
    ANTHROPIC_AUTH_TOKEN: apiKey,
    // Clients send a key that is set here as well, or instead.
    ANTHROPIC_API_KEY: '',
    ANTHROPIC_MODEL: FREE_MODEL,
    ...Object.fromEntries(CLAUDE_CODE_MODELS.map((name) => [`ANTHROPIC_DEFAULT_${name}_MODEL`, FREE_MODEL])),
    ...(freeInputTokens === undefined ? {} : { CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(freeInputTokens) }),
  };
}

export function nextSteps(publicUrl: string, apiKey: string) {
  const auth = `-H 'authorization: Bearer ${apiKey}'`;
  const get = (path: string) => `curl -s ${publicUrl}${path} ${auth}`;
  const post = (path: string, body: unknown, flags = '-s') =>
    `curl ${flags} ${publicUrl}${path} ${auth} -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
  const hello = { model: FREE_MODEL, stream: true, messages: [{ role: 'user', content: 'Hello' }] };
  const endpoint = '/v1/chat/completions';
  return [
    { why: 'stream an answer of the free model; it works at NT$0', run: post(endpoint, hello, '-sN') },
    { why: 'list the models this key may use, with their prices', run: get('/v1/models') },
    {
      why: 'ask what a call can cost; sent with the header x-svc-quote, the quote_id keeps that price for 10 minutes',
      run: post('/api/quote', { endpoint, body: hello }),
    },
    {
      why: 'create a key for a program: it only calls models, within budgets and rates',
      run: post('/api/keys', { name: 'program', budgets: { day_ntd: 0.5 }, rates: { in_flight: 4 } }),
    },
    {
      why: 'create a key for an agent that starts agents: it creates keys for them, within its own limits',
      run: post('/api/keys', { name: 'team', delegate: true, budgets: { month_ntd: 0.5 } }),
    },
    { why: 'add balance: put the code of a prepaid card in place of PC-…', run: post('/api/redeem', { code: 'PC-…' }) },
    { why: 'see balance and limits', run: get('/api/me') },
    { why: 'see every request with its channel and cost', run: get('/api/usage') },
  ];
}
