// Codex lets the gateway compact its conversation, again and again in a long loop of tool calls.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Answer } from '../../support/answer.ts';
import { type ClientGateway, KINDS_FOR, startClientGateway } from '../../support/client-gateway.ts';
import { codex } from '../../support/clis.ts';
import { runCodexWith } from '../../support/codex-settings.ts';
import { CLI_TEST_MS, runCli } from '../../support/run-cli.ts';

const CALLS = 20;
const [openai, , anthropic = openai] = KINDS_FOR.responses;
/** Less than any answer reports, so Codex compacts after each. */
const LIMIT = 'model_auto_compact_token_limit = 10';
const COMPACTION = 'capabilities = { remote_compaction = "v2" }';

let gateway: ClientGateway;
beforeAll(async () => {
  gateway = await startClientGateway({ limits: { paid_per_minute: 1_000 } });
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
