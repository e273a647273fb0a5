// First steps with a new key: variables for clients, and first calls as commands to paste.

/** The model that they name. */
export interface ExampleModel {
  id: string;
  free: boolean;
  /** How much input a request of it may have. */
  inputTokens: number;
}

interface ClientSettings {
  publicUrl: string;
  /** Undefined if the server has no chat model. */
  model: ExampleModel | undefined;
}

/** Besides its main model, Claude Code calls others by these names. */
const CLAUDE_CODE_MODELS = ['HAIKU', 'SONNET', 'OPUS', 'FABLE'];

export function clientVariables({ publicUrl, model }: ClientSettings, apiKey: string) {
  return {
    OPENAI_BASE_URL: `${publicUrl}/v1`,
    OPENAI_API_KEY: apiKey,
    ANTHROPIC_BASE_URL: publicUrl,
    ANTHROPIC_AUTH_TOKEN: apiKey,
    // Clients send a key that is set here as well, or instead.
    ANTHROPIC_API_KEY: '',
    ...(model && claudeCodeVariables(model)),
  };
}

function claudeCodeVariables({ id, inputTokens }: ExampleModel) {
  return {
    ANTHROPIC_MODEL: id,
    ...Object.fromEntries(CLAUDE_CODE_MODELS.map((name) => [`ANTHROPIC_DEFAULT_${name}_MODEL`, id])),
    CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(inputTokens),
  };
}

export function nextSteps({ publicUrl, model }: ClientSettings, apiKey: string) {
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
