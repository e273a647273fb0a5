// The first page of the docs, as a customer of a site gets it whose models are its own: what it prints runs from top to
// bottom, and nothing in it is for who runs the server.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from '../bootstrap/fresh-clone.ts';
import { codeBlocks } from '../support/code-blocks.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { issueCard } from '../support/issue-cards.ts';

const LANGUAGES = ['en', 'zh-TW'];
const OWN_MODEL = 'own-paid';
/** As the models of an embedded default have it. */
const DESCRIPTION = { en: 'A {paid} model.', 'zh-TW': '付費模型。' };

let gateway: TestGateway;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'getting-started-'));
  gateway = await startTestGateway({
    document: (standard) => ({
      ...standard,
      models: standard.models
        .filter(({ id }) => id === 'auto:free' || id === 'demo-small')
        .map((model) => (model.id === 'demo-small' ? { ...model, id: OWN_MODEL, description: DESCRIPTION } : model)),
    }),
  });
});
afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true });
});

async function read(language: string, page = 'getting-started'): Promise<string> {
  const headers = { accept: '*/*', 'user-agent': 'curl/8' };
  return (await fetch(`${gateway.url}/docs/${page}.md?lang=${language}`, { headers })).text();
}

/** The pages for customers. */
const PAGES = ['clients', 'accounts', 'limits', 'billing', 'errors', 'relay', 'translation', 'reliability'];

test.each(LANGUAGES)('%s: no other page for customers names a model that only the demo has', async (language) => {
  const pages = await Promise.all(PAGES.map((page) => read(language, page)));
  expect(pages.every((text) => text.startsWith('# '))).toBe(true);
  expect(PAGES.filter((_, index) => pages[index]?.includes('demo-small'))).toEqual([]);
});

test.each(LANGUAGES)('%s: the key that the page about accounts makes can be made here', async (language) => {
  const { key } = await gateway.register();
  const block = codeBlocks(await read(language, 'accounts')).find(({ code }) => code.includes('"models"'));
  const [, body = ''] = /-d '([^']*)'/.exec(block?.code ?? '') ?? [];
  // The year that is printed will have passed one day.
  const made = await gateway.call('/api/keys', { key, body: { ...JSON.parse(body), expires_at: null } });
  expect(made.status).toBe(201);
});

test.each(LANGUAGES)(
  '%s: begins at registering, and has no work for a customer that only an operator can do',
  async (language) => {
    const page = await read(language);
    const [first] = codeBlocks(page);
    expect(first?.code).toContain(`${gateway.url}/api/agent/register`);
    expect(page).not.toMatch(/npm (start|run)|gateway --|pepper|OPENAI_API_KEY(?!=)|demo-small/);
    expect(page.match(/\(\S*\boperating\.md/g)).toHaveLength(1);
  },
);

/** What a script of the docs prints; it must not fail. */
async function runScript(script: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const child = Bun.spawn(['sh', '-ec', script], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const { exitCode, stdout, stderr } = await finished(child);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout;
}

test('the agent of the page about accounts starts another, within its budget, and ends it', async () => {
  const { key } = await gateway.register();
  const block = codeBlocks(await read('en', 'accounts')).find(({ code }) => code.startsWith('TEAM='));
  const stdout = await runScript(block?.code ?? '', { KEY: key });
  expect(stdout).toContain('"choices"');
  expect(stdout).toMatch(/"name":"team".*"delegate":true.*"name":"agent-1".*"depth":1/);
  expect(stdout).toContain('"by_key"');
  expect(stdout).toMatch(/"deleted":true}$/);
});

test('what it prints runs, one after the other, and the paid model is one of this site', async () => {
  const card = await issueCard(gateway);
  // Claude Code is run by the test of the page about clients.
  const blocks = codeBlocks(await read('en')).filter(({ language }) => language === 'sh');
  const script = blocks.map(({ code }) => code.replace(/^.*npx .*$/m, '').replace('PC-…', card.code)).join('\n');
  const stdout = await runScript(script);
  expect(stdout).not.toContain('"error":{');
  expect(stdout).toContain(`}${OWN_MODEL}\nHTTP/1.1 200`);
  expect(stdout).toMatch(/^x-svc-cost-ntd: 0\.00\d+\r$/m);
  expect(stdout).toContain('"cost_nano"');
  expect(stdout).toContain('"already_redeemed":false');
  expect(stdout).toContain(`"model":"${OWN_MODEL}","channel":"demo"`);
  expect(await Bun.file(join(folder, 'usage.csv')).text()).toContain(OWN_MODEL);
});
