// An agent registers itself: account, key, trial credit and limit slots in one transaction. The response contains all
// that it needs for its first call.

import { type Catalog, exampleModel, tokenBounds } from '../catalog/catalog.ts';
import { FREE_MODEL } from '../catalog/document.ts';
import { fault } from '../faults/fault.ts';
import type { Idempotency } from '../kit/idempotency.ts';
import { moneyFields, NANO_PER_NTD } from '../kit/money.ts';
import { limitFault } from '../limits/admission-fault.ts';
import type { RegisterResult } from '../store/operations.ts';
import { publicLimits } from './account.ts';
import { keyFromSecret, lastFour } from './keys/key-format.ts';
import type { KeyTools } from './keys/manage-keys.ts';
import { newKeyRow } from './keys/new-key-row.ts';
import { newSecret, replayOf } from './replays.ts';

export interface RegisterTools extends Omit<KeyTools, 'countKeyChange'> {
  publicUrl: string;
}

const TRIAL = NANO_PER_NTD;

/** The limit of a wider network, as a multiple of one address's. */
const NETWORK_SHARES = { 56: 4, 48: 16 } as const;

/** The client's address and networks, as keyed hashes. */
export interface Origin {
  address: string;
  /** IPv6 only: the networks with these prefixes that contain it. */
  networks: readonly { prefix: keyof typeof NETWORK_SHARES; address: string }[];
}

export async function registerAgent(
  tools: RegisterTools,
  { address, networks }: Origin,
  idempotency: Idempotency | undefined,
) {
  const { clock, newId } = tools;
  const catalog = tools.catalog();
  const { limits, guards } = catalog;
  const announced = announce(catalog, tools.publicUrl);
  const at = clock.now();
  const accountId = newId('acc');
  const secret = newSecret(keyFromSecret, tools.random, idempotency);
  const result = await tools.store.commit('register', {
    accountId,
    key: newKeyRow({
      keyId: newId('key'),
      accountId,
      hash: tools.authenticator.hash(secret.text),
      last4: lastFour(secret.text),
      manage: true,
      createdAt: at,
    }),
    address,
    networks: networks.map(({ prefix, address: hash }) => ({
      prefix,
      address: hash,
      limit: limits.register_per_ip * NETWORK_SHARES[prefix],
    })),
    at,
    trial: TRIAL,
    announced: JSON.stringify(announced),
    limits: {
      perAddress: limits.register_per_ip,
      perDay: limits.register_per_day,
      perHour: guards.register_per_hour ?? undefined,
    },
    replay: replayOf(idempotency),
  });
  if (!result.ok) {
    if (result.reason === 'idempotency_key_reused') throw fault('idempotency_key_reused');
    throw limitFault(result.reason, result.allowance, at, { message: messageOf(result) });
  }
  // A registration of an earlier version may have kept less.
  const stored: Partial<Announced> = JSON.parse(result.announced ?? '{}');
  const first: Announced = { ...announced, ...stored, limits: { ...announced.limits, ...stored.limits } };
  return secret.answer(result.replayedSalt, (shown) => describe(first, shown, result));
}

/** Used where the table's text would name a different limit. */
function messageOf(refused: Extract<RegisterResult, { ok: false }>): ((wait: string) => string) | undefined {
  if (refused.reason === 'registration_site_limit') {
    return refused.isPace ? (wait) => `The registrations of this hour are used up. Retry in ${wait}.` : undefined;
  }
  if (refused.reason !== 'registration_ip_limit' || refused.prefix === undefined) return undefined;
  const { prefix, allowance } = refused;
  return (wait) =>
    `The network of this address (IPv6 /${prefix}) has registered ${allowance.limit} accounts in the last 24 hours. Use a key you already have, or retry in ${wait}.`;
}

type Announced = ReturnType<typeof announce>;

/** Settings that the response contains, kept for replays because they may change. */
function announce(catalog: Catalog, publicUrl: string) {
  const free = catalog.find(FREE_MODEL);
  const model = exampleModel(catalog, 'chat');
  return {
    publicUrl,
    limits: publicLimits(catalog),
    demo: free?.demo ?? false,
    hasFreeModel: free !== undefined,
    /** What commands and variables name, and how much input a request of it may have; undefined without a chat model. */
    model: model && { id: model.id, free: model.free, inputTokens: tokenBounds(model, catalog).input },
  };
}

function describe(
  announced: Announced,
  apiKey: string,
  { accountId, keyId, balance }: { accountId: string; keyId: string; balance: bigint },
) {
  const { publicUrl, limits, demo, hasFreeModel } = announced;
  return {
    api_key: apiKey,
    free_model: hasFreeModel ? FREE_MODEL : null,
    ...(demo ? { demo: true as const } : {}),
    ...moneyFields('trial', TRIAL),
    account_id: accountId,
    key_id: keyId,
    ...moneyFields('balance', balance),
    base_url: publicUrl,
    openai_base_url: `${publicUrl}/v1`,
    anthropic_base_url: publicUrl,
    account_url: `${publicUrl}/account`,
    pricing_url: `${publicUrl}/pricing`,
    docs_url: `${publicUrl}/docs`,
    status_url: `${publicUrl}/status`,
    security_url: `${publicUrl}/security`,
    limits,
    env: clientVariables(announced, apiKey),
    next_steps: nextSteps(announced, apiKey),
  };
}

/** Besides its main model, Claude Code calls others by these names. */
const CLAUDE_CODE_MODELS = ['HAIKU', 'SONNET', 'OPUS', 'FABLE'];

function clientVariables({ publicUrl, model }: Announced, apiKey: string) {
  return {
    OPENAI_BASE_URL: `${publicUrl}/v1`,
    OPENAI_API_KEY: apiKey,
    ANTHROPIC_BASE_URL: publicUrl,
    ANTHROPIC_AUTH_TOKEN: apiKey,
    // Clients send a key that is set here as well, or instead.
    ANTHROPIC_API_KEY: '',
    ...(model && claudeCodeVariables(model.id, model.inputTokens)),
  };
}

export function claudeCodeVariables(model: string, inputTokens: number) {
  return {
    ANTHROPIC_MODEL: model,
    ...Object.fromEntries(CLAUDE_CODE_MODELS.map((name) => [`ANTHROPIC_DEFAULT_${name}_MODEL`, model])),
    CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(inputTokens),
  };
}

function nextSteps({ publicUrl, model }: Announced, apiKey: string) {
  const auth = `-H 'authorization: Bearer ${apiKey}'`;
  const get = (path: string) => `curl -s ${publicUrl}${path} ${auth}`;
  const post = (path: string, body: unknown, flags = '-s') =>
    `curl ${flags} ${publicUrl}${path} ${auth} -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
  const endpoint = '/v1/chat/completions';
  const hello = model && { model: model.id, stream: true, messages: [{ role: 'user', content: 'Hello' }] };
  const streamed = model?.free
    ? 'stream an answer of the free model; it works at NT$0'
    : 'stream an answer; the trial credit pays for it';
  const quoted =
    'ask what a call can cost; sent with the header x-svc-quote, the quote_id keeps that price for 10 minutes';
  return [
    ...(hello ? [{ why: streamed, run: post(endpoint, hello, '-sN') }] : []),
    { why: 'list the models this key may use, with their prices', run: get('/v1/models') },
    ...(hello ? [{ why: quoted, run: post('/api/quote', { endpoint, body: hello }) }] : []),
    {
      why: 'create a key for a program: it only calls models, within budgets and rates',
      run: post('/api/keys', { name: 'program', budgets: { day_ntd: 0.5 }, rates: { in_flight: 4 } }),
    },
    {
      why: 'create a key for an agent that starts agents: it creates keys for them, within its own limits',
      run: post('/api/keys', { name: 'team', delegate: true, budgets: { month_ntd: 0.5 } }),
    },
    {
      why: 'list the tools of the MCP server, the same service for agents that use tools',
      run: post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    },
    { why: 'add balance: put the code of a prepaid card in place of PC-…', run: post('/api/redeem', { code: 'PC-…' }) },
    { why: 'see balance and limits', run: get('/api/me') },
    { why: 'see every request with its channel and cost', run: get('/api/usage') },
  ];
}
