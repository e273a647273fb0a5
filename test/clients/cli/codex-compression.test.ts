// Codex compresses its requests with zstd where it is signed in with ChatGPT and the provider is called OpenAI; with a key of
// its own it does not.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type ClientGateway, KINDS_FOR, startClientGateway } from '../../support/client-gateway.ts';
import { codex } from '../../support/clis.ts';
import { type RequestLines, watchRequests } from '../../support/request-lines.ts';
import { CLI_TEST_MS, runCli } from '../../support/run-cli.ts';

const [{ model }] = KINDS_FOR.responses;
const PROMPT = 'Look at the lighthouse.';

const encoded = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
const CLAIMS = {
  email: 'someone@example.com',
  exp: 4_102_444_800,
  'https://api.openai.com/auth': { chatgpt_plan_type: 'pro', chatgpt_user_id: 'user', chatgpt_account_id: 'account' },
};
const TOKEN = `${encoded({ alg: 'none', typ: 'JWT' })}.${encoded(CLAIMS)}.c2ln`;
const SIGNED_IN = {
  OPENAI_API_KEY: null,
  tokens: { id_token: TOKEN, access_token: TOKEN, refresh_token: 'refresh', account_id: 'account' },
  last_refresh: new Date().toISOString(),
};

let gateway: ClientGateway;
let wire: RequestLines;
beforeAll(async () => {
  gateway = await startClientGateway();
  wire = await watchRequests(gateway.port);
  gateway.answer(({ prompt }) => ({ pieces: [prompt.includes(PROMPT) ? 'It is white.' : 'I see nothing.'] }));
});
afterAll(async () => {
  await wire.close();
  await gateway.stop();
});

test.each([
  { name: 'OpenAI', isSignedIn: true, encoding: 'zstd' },
  { name: 'gateway', isSignedIn: true, encoding: null },
  { name: 'OpenAI', isSignedIn: false, encoding: null },
])(
  'a provider called $name, signed in: $isSignedIn, gets $encoding',
  async ({ name, isSignedIn, encoding }) => {
    const { key } = await gateway.register();
    const run = codex.run({ url: wire.url, key, model, prompt: PROMPT });
    const auth = isSignedIn
      ? `requires_openai_auth = true\nexperimental_bearer_token = "${key}"`
      : 'env_key = "GATEWAY_KEY"';
    const provider = `name = "${name}"\nbase_url = "${wire.url}/v1"\nwire_api = "responses"\n${auth}`;
    const config = `model = "${model}"\nmodel_provider = "gateway"\n[model_providers.gateway]\n${provider}\n`;
    const login = isSignedIn ? { '.codex/auth.json': JSON.stringify(SIGNED_IN) } : {};
    wire.reset();
    const { exitCode, stdout, stderr } = await runCli({ ...run, files: { '.codex/config.toml': config, ...login } });
    expect({ exitCode, stdout, stderr }).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('It is white.'),
    });
    const posted = wire.heads.filter((head) => head.startsWith('POST /v1/responses '));
    expect(posted.map((head) => /^content-encoding: (.*)$/im.exec(head)?.[1] ?? null)).toEqual([encoding]);
  },
  CLI_TEST_MS,
);
