// The lines of the set-up page, run as they stand with the real clients. Python and PowerShell are not run: the project
// needs neither.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, SETUP_BLOCKS, type SetupBlock } from '../../src/site/account/snippets.ts';
import { finished } from '../bootstrap/fresh-clone.ts';
import { type Cli, claudeCode, codex, opencode } from '../support/clis.ts';
import { codeBlocks } from '../support/code-blocks.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { CLI_TEST_MS, runCli } from '../support/run-cli.ts';

const ROOT = join(import.meta.dir, '..', '..');
const DEMO_TEXT = 'This is the demo channel';

let gateway: TestGateway;
let key: string;
const folder = mkdtempSync(join(tmpdir(), 'setup-lines-'));
beforeAll(async () => {
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  gateway = await startTestGateway({ limits: { free_per_minute: 1_000 } });
  ({ key } = await gateway.register());
});
afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true });
});

const blocksOf = (client: Client) =>
  SETUP_BLOCKS[client]({ publicUrl: gateway.url, key, model: { id: 'auto:free', input: 64_000, output: 4_096 } });
const codeFor = (blocks: readonly SetupBlock[], purpose: SetupBlock['purpose']) =>
  blocks.find((block) => block.purpose === purpose)?.code ?? 'false';
const fileOf = (blocks: readonly SetupBlock[]) => {
  const block = blocks.find(({ purpose }) => typeof purpose === 'object');
  if (!block || typeof block.purpose === 'string') throw new Error('no file');
  return { name: block.purpose.file, code: block.code };
};

async function run(command: string): Promise<string> {
  const env = { PATH: process.env.PATH ?? '', no_proxy: '127.0.0.1' };
  const child = Bun.spawn(['sh', '-ec', command], {
    cwd: folder,
    env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const { exitCode, stdout, stderr } = await finished(child);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  return stdout;
}

test('curl', async () => {
  expect(await run(codeFor(blocksOf('curl'), 'shell'))).toContain(DEMO_TEXT);
});

test.each(['node', 'anthropic'] as const)('%s', async (client) => {
  const blocks = blocksOf(client);
  const { name, code } = fileOf(blocks);
  writeFileSync(join(folder, name), code);
  expect(await run(codeFor(blocks, 'run'))).toContain(DEMO_TEXT);
});

/** `asking`: what makes the command answer one question and end. */
const CLIS: [client: Client, cli: Cli, asking: string][] = [
  ['claude-code', claudeCode, "claude -p 'Hi'"],
  ['codex', codex, "codex exec --skip-git-repo-check 'Hi'"],
];

test.each(CLIS)(
  '%s',
  async (client, cli, asking) => {
    const blocks = blocksOf(client);
    const file = blocks.some((block) => typeof block.purpose === 'object') ? fileOf(blocks) : undefined;
    const place = file?.name.startsWith('~/') ? file.name.slice(2) : `work/${file?.name}`;
    const lines = codeFor(blocks, 'shell').split('\n');
    expect(lines.at(-1)).toBe(cli.command);
    const start = cli.start().map((word) => `'${word}'`);
    const { exitCode, stdout, stderr } = await runCli({
      command: [
        'sh',
        '-ec',
        [`${cli.command}() { ${start.join(' ')} "$@"; }`, ...lines.slice(0, -1), asking].join('\n'),
      ],
      env: { ANTHROPIC_API_KEY: 'sk-ant-stale', ...cli.offline },
      files: file ? { [place]: file.code } : {},
    });
    expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(DEMO_TEXT) });
  },
  CLI_TEST_MS,
);

test('opencode gets what docs/clients.md shows, which is run there', () => {
  const [shown] = codeBlocks(readFileSync(join(ROOT, 'docs', 'clients.md'), 'utf8')).filter(
    ({ heading, language }) => heading === 'opencode' && language === 'json',
  );
  const { $schema: _, ...document } = JSON.parse(shown?.code ?? '');
  const { name: __, ...provider } = document.provider.gateway;
  const options = { baseURL: `${gateway.url}/v1`, apiKey: key };
  const blocks = blocksOf('opencode');
  const { name, code } = fileOf(blocks);
  expect([name, JSON.parse(code)]).toEqual([
    'opencode.json',
    { ...document, provider: { gateway: { ...provider, options } } },
  ]);
  expect(provider.options.baseURL).toBe('http://127.0.0.1:8787/v1');
  expect(codeFor(blocks, 'run')).toBe(opencode.command);
});
