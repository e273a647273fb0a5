// Command lines as clients of the MCP server: each finds its tools, and makes a paid call through one of them.

import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import type { Answer } from '../../support/answer.ts';
import { type ClientGateway, KINDS_FOR, startClientGateway } from '../../support/client-gateway.ts';
import { type Cli, claudeCode, codex } from '../../support/clis.ts';
import { CLI_TEST_MS, type CliRun, runCli } from '../../support/run-cli.ts';

const TOOLS = ['register', 'models', 'status', 'quote', 'balance', 'usage', 'redeem', 'create_key', 'ask'];
const QUESTION = 'What is six times seven?';
/** The model that is asked through the tool; the command line itself uses another. */
const ASKED = 'even';

interface McpCase {
  cli: Cli;
  /** The command line's own model. */
  model: string;
  /** Its name for a tool of the server. */
  nameOf(tool: string): string;
  withServer(run: CliRun, url: string, key: string): CliRun;
}

const CASES: McpCase[] = [
  {
    cli: claudeCode,
    model: KINDS_FOR.messages[0].model,
    nameOf: (tool) => `mcp__gateway__${tool}`,
    withServer: (run, url, key) => ({
      ...run,
      // Its tools are in the request, and not only found by a search.
      env: { ...run.env, ENABLE_TOOL_SEARCH: 'false' },
      // The list of tools that it may use without asking goes on.
      command: [...run.command, 'mcp__gateway__ask', '--strict-mcp-config', '--mcp-config', 'mcp.json'],
      files: {
        'work/mcp.json': JSON.stringify({
          mcpServers: { gateway: { type: 'http', url: `${url}/mcp`, headers: { Authorization: `Bearer ${key}` } } },
        }),
      },
    }),
  },
  {
    cli: codex,
    model: KINDS_FOR.responses[0].model,
    nameOf: (tool) => `mcp__gateway.${tool}`,
    withServer: (run, url) => ({
      ...run,
      files: {
        '.codex/config.toml': `${run.files?.['.codex/config.toml']}
          [mcp_servers.gateway]
          url = "${url}/mcp"
          bearer_token_env_var = "GATEWAY_KEY"
        `,
      },
    }),
  },
];

let gateway: ClientGateway;
let key: string;
beforeAll(async () => {
  gateway = await startClientGateway();
});
beforeEach(async () => {
  gateway.upstream.reset();
  ({ key } = await gateway.register());
});
afterAll(() => gateway.stop());

test.each(CASES.map((one) => [one.cli.name, one] as const))(
  '%s lists the tools, and asks a paid model through one of them',
  async (_, { cli, model, nameOf, withServer }) => {
    const offered = new Set<string>();
    gateway.answer(({ tools, results, prompt }) => {
      for (const tool of tools) offered.add(tool);
      if (tools.length === 0) return { pieces: [prompt === QUESTION ? 'Forty-two.' : 'A title'] };
      if (results.length > 0) return { pieces: ['The tool said: ', results.map(({ text }) => text).join()] };
      return { calls: [{ name: nameOf('ask'), input: { model: ASKED, prompt: QUESTION, max_tokens: 50 } }] };
    });
    const errand = cli.run({ url: gateway.url, key, model, prompt: 'Ask the other model.' });
    const { exitCode, stdout, stderr } = await runCli(withServer(errand, gateway.url, key));
    expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Forty-two.') });
    expect(stdout).toContain('cost_ntd');
    expect([...offered]).toEqual(expect.arrayContaining(TOOLS.map(nameOf)));

    const { data } = await gateway.get(`/api/usage?model=${ASKED}`, key);
    expect(data).toMatchObject([{ status: 'ok', endpoint: '/v1/chat/completions' }]);
    expect(data[0].cost_ntd).toBeGreaterThan(0);
    const { data: all } = await gateway.get('/api/usage', key);
    const spent = all.reduce((sum: bigint, record: Answer) => sum + BigInt(record.cost_nano), 0n);
    expect(await gateway.get('/api/me', key)).toMatchObject({
      balance_nano: String(1_000_000_000n - spent),
      held_nano: '0',
    });
    expect(gateway.audit()).toEqual([]);
  },
  CLI_TEST_MS,
);
