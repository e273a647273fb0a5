// Codex over a WebSocket: a long loop of tool calls, of which each turn sends only what is new.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Answer } from '../../support/answer.ts';
import { type ClientGateway, KINDS_FOR, startClientGateway } from '../../support/client-gateway.ts';
import { codex } from '../../support/clis.ts';
import { runCodexWith } from '../../support/codex-settings.ts';
import { type RequestLines, watchRequests } from '../../support/request-lines.ts';
import { CLI_TEST_MS, runCli } from '../../support/run-cli.ts';

const CALLS = 20;
const [openai, , anthropic] = KINDS_FOR.responses;

let gateway: ClientGateway;
let wire: RequestLines;
beforeAll(async () => {
  gateway = await startClientGateway();
  wire = await watchRequests(gateway.port);
});
afterAll(async () => {
  await wire.close();
  await gateway.stop();
});

describe.each([openai, anthropic ?? openai])('Codex with a model on a channel of the kind $kind', ({ model }) => {
  test(
    `runs ${CALLS} tools over one connection`,
    async () => {
      const { key } = await gateway.register();
      gateway.answer(({ results }) =>
        results.length < CALLS
          ? { calls: [{ name: codex.shell.tool, input: codex.shell.input(`echo step-$((${results.length} + 1))`) }] }
          : { pieces: [`Done: ${results.map(({ text }) => /step-\d+/.exec(text)?.[0]).join(' ')}`] },
      );
      wire.reset();
      const { exitCode, stdout, stderr } = await runCli(
        runCodexWith(
          { url: wire.url, key, model, prompt: 'Run the steps.' },
          { provider: 'supports_websockets = true' },
        ),
      );
      const steps = Array.from({ length: CALLS }, (_, index) => `step-${index + 1}`).join(' ');
      expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(steps) });
      expect(wire.lines.filter((line) => line.includes('/v1/responses'))).toEqual(['GET /v1/responses HTTP/1.1']);
      const { data } = await gateway.get('/api/usage?limit=100', key);
      expect(data.map(({ status, channel }: Answer) => [status, channel])).toEqual(
        Array(CALLS + 1).fill(['ok', model]),
      );
      expect(gateway.audit()).toEqual([]);
    },
    CLI_TEST_MS,
  );
});
