// What docs/clients.md shows is run as it stands, with the real clients against a real gateway; only the address is
// another one. Python is not run: the project does not need it.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from '../bootstrap/fresh-clone.ts';
import { type Cli, claudeCode, codex, opencode } from '../support/clis.ts';
import { type CodeBlock, codeBlocks } from '../support/code-blocks.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { CLI_TEST_MS, runCli } from '../support/run-cli.ts';

const ROOT = join(import.meta.dir, '..', '..');
const PRINTED_URL = 'http://127.0.0.1:8787';
const DEMO_TEXT = 'This is the demo channel';

const page = readFileSync(join(ROOT, 'docs', 'clients.md'), 'utf8');
const blocks = codeBlocks(page);
const inLanguage = (language: string) => blocks.filter((block) => block.language === language);
const under = (heading: string, language: string) => inLanguage(language).filter((block) => block.heading === heading);

const REGISTER = under('A key and an address', 'sh');
const CURLS = under('curl', 'sh');
const SCRIPTS = inLanguage('js');
const INSTALLS = [...page.matchAll(/`((?:npm|pip) install [^`]*)`/g)].map(([, command = '']) => command);

interface CliCase {
  cli: Cli;
  /** Where the configuration that the page shows belongs, below the home; the program starts in `work` there. */
  config?: { path: string; language: string };
}

const CLIS: CliCase[] = [
  { cli: claudeCode },
  { cli: codex, config: { path: '.codex/config.toml', language: 'toml' } },
  { cli: opencode, config: { path: 'work/opencode.json', language: 'json' } },
];

/** How each shows a server that it has reached, or at least read. */
const MCP_CLIS: (CliCase & { heading: string; shows: RegExp })[] = [
  { cli: claudeCode, heading: 'MCP in Claude Code', shows: /gateway: .*Connected/ },
  {
    cli: codex,
    heading: 'MCP in Codex',
    config: { path: '.codex/config.toml', language: 'toml' },
    shows: /gateway +http.*\/mcp +KEY/,
  },
];

let gateway: TestGateway;
let key: string;
/** Where a reader has installed the libraries. */
const folder = mkdtempSync(join(tmpdir(), 'clients-'));

beforeAll(async () => {
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  gateway = await startTestGateway({ limits: { free_per_minute: 1_000 } });
});
beforeEach(async () => {
  ({ key } = await gateway.register());
});
afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true });
});

const here = ({ code }: CodeBlock) => code.replaceAll(PRINTED_URL, gateway.url);

async function run(command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', KEY: key },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const { exitCode, stdout, stderr } = await finished(child);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  return stdout;
}

/** Everything this account asked for, as the gateway noted it. */
async function expectServed(): Promise<void> {
  const { data } = await gateway.get('/api/usage', key);
  expect(data.length).toBeGreaterThan(0);
  for (const record of data) expect(record).toMatchObject({ model: 'auto:free', channel: 'demo', status: 'ok' });
}

test('a key is registered and kept', async () => {
  const [register] = REGISTER;
  const printed = await run(['sh', '-ec', register ? here(register) : '']);
  expect(printed.trim()).toMatch(/^sk-svc-[0-9A-Za-z]{49}$/);
});

describe('curl', () => {
  test.each(CURLS.map((block) => [block.code.split(' ')[2], block] as const))('%s', async (_, block) => {
    const answer = await run(['sh', '-ec', here(block)]);
    expect(answer).toContain(answer.includes('"object":"list"') ? '"id":"auto:free"' : DEMO_TEXT);
  });
});

describe('a script', () => {
  test.each(SCRIPTS.map((block) => [block.heading, block] as const))('for %s', async (_, block) => {
    writeFileSync(join(folder, 'script.mjs'), here(block));
    expect(await run(['node', 'script.mjs'])).toContain(DEMO_TEXT);
    await expectServed();
  });
});

/** Runs the commands under a heading, with the configuration that is shown there. */
function runShown(heading: string, { cli, config }: CliCase) {
  const [command] = under(heading, 'sh');
  const [file] = config ? under(heading, config.language) : [];
  const start = cli.start().map((word) => `'${word}'`);
  return runCli({
    command: ['sh', '-ec', `${cli.command}() { ${start.join(' ')} "$@"; }\n${command ? here(command) : 'false'}`],
    // A shell may have a key of the vendor's own, which must not get in the way.
    env: { KEY: key, ANTHROPIC_API_KEY: 'sk-ant-stale', ...cli.offline },
    files: config && file ? { [config.path]: here(file) } : {},
  });
}

describe('a command line', () => {
  test.each(CLIS.map((one) => [one.cli.name, one] as const))(
    '%s, with the configuration shown',
    async (heading, one) => {
      const { exitCode, stdout, stderr } = await runShown(heading, one);
      expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(DEMO_TEXT) });
      // Claude Code's complaint about a model whose window nobody told it.
      expect(stderr).not.toContain('recognize the model');
      await expectServed();
    },
    CLI_TEST_MS,
  );

  test.each(MCP_CLIS.map((one) => [one.heading, one] as const))(
    '%s, with the configuration shown',
    async (heading, one) => {
      const { exitCode, stdout, stderr } = await runShown(heading, one);
      expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(one.shows) });
    },
    CLI_TEST_MS,
  );
});

test.each(['README.md', 'docs/getting-started.md', 'docs/zh-TW/getting-started.md', 'docs/zh-TW/clients.md'])(
  '%s tells Claude Code as much as this page does',
  (path) => {
    const shown = codeBlocks(readFileSync(join(ROOT, path), 'utf8')).filter(({ code }) =>
      /claude(-code)? -p/.test(code),
    );
    const told = under('Claude Code', 'sh')[0]?.code.match(/CLAUDE_CODE_MAX_CONTEXT_TOKENS=\d+/)?.[0] ?? '';
    expect([told, shown.length]).toEqual([expect.stringMatching(/\d$/), 1]);
    expect(shown[0]?.code).toContain(told);
  },
);

/** What a command on this page installs, in which way. */
const installedBy = (way: string) =>
  INSTALLS.filter((command) => command.startsWith(`${way} `)).flatMap((command) => command.split(' ').slice(2));

test('what a script or a command line needs is installed by a command of this page', () => {
  const imported = SCRIPTS.flatMap(({ code }) => [...code.matchAll(/ from '([^']+)'/g)].map(([, name = '']) => name));
  expect(imported.filter((name) => !installedBy('npm install').includes(name))).toEqual([]);
  const python = inLanguage('python').flatMap(({ code }) =>
    [...code.matchAll(/^(?:from|import) (\w+)/gm)].map(([, name = '']) => name.replaceAll('_', '-')),
  );
  // Python's own, and what comes with pydantic-ai and Instructor.
  const own = ['os', 'pydantic'];
  expect(python.filter((name) => ![...installedBy('pip install'), ...own].includes(name))).toEqual([]);
  const globals = installedBy('npm install -g').filter((name) => name !== '-g');
  const commands = globals.flatMap((name) => Object.keys(manifestOf(name).bin));
  expect(commands.toSorted()).toEqual(CLIS.map(({ cli }) => cli.command).toSorted());
});

function manifestOf(name: string): { bin: Record<string, string> } {
  return JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8'));
}

test('no block but Python’s goes without a run', () => {
  const ofClis = CLIS.flatMap(({ cli: { name }, config }) => [
    ...under(name, 'sh'),
    ...(config ? under(name, config.language) : []),
  ]);
  const ofMcp = MCP_CLIS.flatMap(({ heading }) => [...under(heading, 'sh'), ...under(heading, 'toml')]);
  const isRun = new Set([...REGISTER, ...CURLS, ...SCRIPTS, ...ofClis, ...ofMcp]);
  const notRun = blocks.filter((block) => !isRun.has(block) && block.language !== 'python');
  // Both are programs of Python.
  expect(notRun.map(({ heading, language }) => [heading, language])).toEqual([
    ['aider', 'bash'],
    ['llm', 'bash'],
  ]);
  expect([REGISTER.length, ofClis.length, ofMcp.length]).toEqual([1, 5, 3]);
});
