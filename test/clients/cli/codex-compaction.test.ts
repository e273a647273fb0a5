// Codex lets the gateway compact its conversation, again and again in a long loop of tool calls.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Answer } from '../../support/answer.ts';
import { type ClientGateway, KINDS_FOR, startClientGateway } from '../../support/client-gateway.ts';
import { codex } from '../../support/clis.ts';
import { runCodexWith } from '../../support/codex-settings.ts';
import { model } from '../../support/model/model.ts';
import { jsonScript } from '../../support/openai-chat.ts';
import { CLI_TEST_MS, runCli } from '../../support/run-cli.ts';
import { openaiChannel, upModel, upstreamUrl } from '../../support/test-document.ts';

const CALLS = 20;
const [openai, , anthropic = openai] = KINDS_FOR.responses;
/** Less than any answer reports, so Codex compacts after each. */
const LIMIT = 'model_auto_compact_token_limit = 10';
const COMPACTION = 'capabilities = { remote_compaction = "v2" }';

let gateway: ClientGateway;
beforeAll(async () => {
  gateway = await startClientGateway({
    limits: { paid_per_minute: 1_000 },
    document: (standard) => ({
      ...standard,
      channels: [...standard.channels, openaiChannel('vendor', upstreamUrl(standard), { quirks: 'openai' })],
      models: [
        ...standard.models,
        upModel('vendor', { price: { input: 1, output: 1 }, routes: [{ channel: 'vendor', model: 'gpt-6-luna' }] }),
      ],
    }),
  });
});
afterAll(() => gateway.stop());

test.each([
  { over: 'POST', model: openai.model, provider: COMPACTION },
  { over: 'a WebSocket', model: anthropic.model, provider: `${COMPACTION}\nsupports_websockets = true` },
])(
  `runs ${CALLS} tools with a compaction after each, over $over`,
  async ({ model, provider }) => {
    const { key } = await gateway.register();
    let step = 0;
    const remembered: boolean[] = [];
    gateway.answer(({ prompt }) => {
      if (prompt.includes('Summarize this conversation')) return { pieces: [`Summary after step ${step}.`] };
      remembered.push(step === 0 || prompt.includes(`Summary after step ${step}.`));
      step++;
      return step <= CALLS
        ? { calls: [{ name: codex.shell.tool, input: codex.shell.input(`echo step-${step}`) }] }
        : { pieces: ['All steps are done.'] };
    });
    const errand = { url: gateway.url, key, model, prompt: 'Run the steps.' };
    const { exitCode, stdout, stderr } = await runCli(runCodexWith(errand, { general: LIMIT, provider }));
    expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('All steps') });
    expect(remembered).toEqual(Array(CALLS + 1).fill(true));
    const { data } = await gateway.get('/api/usage?limit=100', key);
    expect(data.map(({ status }: Answer) => status)).toEqual(Array(2 * CALLS + 1).fill('ok'));
    expect(gateway.audit()).toEqual([]);
  },
  CLI_TEST_MS,
);

test(
  `runs ${CALLS} tools with a compaction by the vendor after each`,
  async () => {
    const { key } = await gateway.register();
    let step = 0;
    const remembered: boolean[] = [];
    const say = model(() => {
      step++;
      return step <= CALLS
        ? { calls: [{ name: codex.shell.tool, input: codex.shell.input(`echo step-${step}`) }] }
        : { pieces: ['All steps are done.'] };
    });
    gateway.upstream.reset();
    gateway.upstream.otherwise((request) => {
      if (!request.path.endsWith('/compact')) {
        remembered.push(step === 0 || request.body.includes(`"vendor-content-${step}"`));
        return say(request);
      }
      const item = { type: 'compaction', id: `cmp_${step}`, encrypted_content: `vendor-content-${step}` };
      const usage = { input_tokens: 11, output_tokens: 7, total_tokens: 18 };
      return jsonScript(200, { id: 'resp_1', object: 'response.compaction', created_at: 1, output: [item], usage });
    });
    const errand = { url: gateway.url, key, model: 'vendor', prompt: 'Run the steps.' };
    const { exitCode, stdout, stderr } = await runCli(
      runCodexWith(errand, { general: LIMIT, provider: `${COMPACTION}\nsupports_websockets = true` }),
    );
    expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('All steps') });
    expect(remembered).toEqual(Array(CALLS + 1).fill(true));
    const paths = gateway.upstream.requests.map(({ path }) => path);
    expect(paths.filter((path) => path === '/v1/responses/compact')).toHaveLength(CALLS);
    expect(gateway.audit()).toEqual([]);
  },
  CLI_TEST_MS,
);
