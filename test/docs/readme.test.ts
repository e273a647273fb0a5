// What README.md prints is run as it stands, against a real server; only the address is another one.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDocument } from '../../src/catalog/read-document.ts';
import { createWorkplace, type RunningServer } from '../support/start-process.ts';

const ROOT = join(import.meta.dir, '..', '..');
const PRINTED_URL = 'http://127.0.0.1:8787';
const REGISTER = /^KEY=\$\(curl .*api\/agent\/register/;
const DEMO_TEXT = 'This is the demo channel';

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const workplace = createWorkplace();
let server: RunningServer;
let key: string;

beforeAll(async () => {
  server = await workplace.serve();
  const [register = ''] = blocksOf('A first call', 'sh');
  key = (await sh(`${register}echo "$KEY"`, '')).trim();
});
afterAll(() => workplace.remove());

/** The code blocks of one language under one heading. */
function blocksOf(heading: string, language: string): string[] {
  const [, section = ''] = readme.split(`\n## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  return [...own.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, lang, code]) =>
    lang === language && code !== undefined ? [code] : [],
  );
}

async function run(command: string[], env: Record<string, string>): Promise<string> {
  const child = Bun.spawn(command, {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  expect(exitCode, stderr).toBe(0);
  return stdout;
}

function sh(script: string, givenKey = key): Promise<string> {
  return run(['sh', '-ec', script.replaceAll(PRINTED_URL, server.url)], { KEY: givenKey });
}

describe('a first call', () => {
  const [register = '', free = '', paid = ''] = blocksOf('A first call', 'sh');

  test('registers and keeps the key', () => {
    expect(register).toMatch(REGISTER);
    expect(key).toMatch(/^sk-svc-[0-9A-Za-z]{49}$/);
  });

  test('streams from the free model, and the headers name the channel', async () => {
    const answer = await sh(free);
    expect(answer).toMatch(/^x-svc-channel: demo\r$/m);
    expect(answer).toContain('data: [DONE]');
  });

  test('asks a paid model in the Anthropic format, and the headers tell cost and balance', async () => {
    const answer = await sh(paid);
    expect(answer).toMatch(/^x-svc-cost-ntd: 0\.00\d+\r$/m);
    expect(answer).toMatch(/^x-svc-balance-ntd: 0\.99\d+\r$/m);
    expect(answer).toContain(`"text":"${DEMO_TEXT}`);
  });
});

test('the OpenAI SDK finds its address and key in the printed variables', async () => {
  const [variables = ''] = blocksOf('SDKs and Claude Code', 'sh');
  const printed = await sh(
    `${variables}echo "$OPENAI_BASE_URL $OPENAI_API_KEY $ANTHROPIC_BASE_URL $ANTHROPIC_AUTH_TOKEN"`,
  );
  const [baseUrl = '', apiKey = '', anthropicUrl, anthropicKey] = printed.trim().split(' ');
  expect([anthropicUrl, anthropicKey]).toEqual([server.url, key]);
  const [snippet = ''] = blocksOf('SDKs and Claude Code', 'js');
  const said = await run([process.execPath, '--no-env-file', '-e', snippet], {
    OPENAI_BASE_URL: baseUrl,
    OPENAI_API_KEY: apiKey,
  });
  expect(said).toStartWith(`demo ${DEMO_TEXT}`);
});

test('a card is issued and redeemed, a key is made, usage is shown', async () => {
  const [money = '', account = ''] = blocksOf('Balance, keys, usage', 'sh');
  const [issue = '', ...redeem] = money.split('\n');
  const [command, words = ''] = issue.split(' -- ');
  expect(command).toBe('npm run -s gateway');
  const issued = await workplace.gateway([...words.split(' '), '--json']);
  const [{ code }] = JSON.parse(issued.stdout) as [{ code: string }];
  expect(JSON.parse(await sh(redeem.join('\n').replace('PC-…', code)))).toMatchObject({
    amount_ntd: 100,
    already_redeemed: false,
  });
  const shown = await sh(account);
  expect(shown).toContain('"daily_budget_ntd":0.5');
  expect(shown).toContain('"available_ntd":100.');
  expect(shown).toContain('"channel":"demo"');
});

describe('once this address has registered its three accounts', () => {
  beforeAll(async () => {
    const register = () => fetch(`${server.url}/api/agent/register`, { method: 'POST' });
    while ((await register()).ok);
  });

  test.each(['README.md', 'docs/getting-started.md', 'docs/clients.md'])('%s keeps no error as a key', async (path) => {
    const page = readFileSync(join(ROOT, path), 'utf8');
    const [line = ''] = /^(export )?KEY=\$\(curl .*api\/agent\/register.*$/m.exec(page) ?? [];
    const said = await sh(`{ ${line}\n} 2>&1; echo "[$KEY]"`, 'an older key');
    expect(said).toMatch(/^curl: .* 429.*\n\[\]\n$/);
  });
});

test.each(['README.md', 'docs/configuration.md'])('the catalog document in %s is valid', (path) => {
  const [, document = ''] = /^```yaml\n([\s\S]*?)^```$/m.exec(readFileSync(join(ROOT, path), 'utf8')) ?? [];
  expect(readDocument(document)).toMatchObject({ ok: true });
});
