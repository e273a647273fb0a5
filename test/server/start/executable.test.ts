// `npm run build`: one file, put alone into an empty folder and started with nothing around it, is the whole service.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from '../../bootstrap/fresh-clone.ts';
import { copiedByDockerfile } from '../../ops/dockerfile.ts';
import type { Answer } from '../../support/answer.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { sharePostgres } from '../../support/postgres.ts';
import { readScrape } from '../../support/prometheus.ts';
import { logged } from '../../support/start-process.ts';

const ROOT = join(import.meta.dir, '..', '..', '..');
const START_MS = 90_000;
const BUILD_MS = 120_000;

/** Processes are started, on a machine that may be busy. */
setDefaultTimeout(120_000);

let folder: string;
let env: Record<string, string>;
let url: string;
let server: Bun.Subprocess<'ignore', 'pipe', 'pipe'>;

const file = (name: string) => join(folder, name);

/** No PATH, no HOME: there is no Node to be found. */
function start(...args: string[]) {
  const cwd = folder;
  return Bun.spawn([file('ai-gateway'), ...args], { cwd, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
}

const run = async (...args: string[]) => finished(start(...args));

const isReady = async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.status === 200;

/** As the Dockerfile does, from what it copies and nothing else. */
async function build(to: string): Promise<void> {
  const project = mkdtempSync(join(tmpdir(), 'gateway-copied-'));
  try {
    for (const path of copiedByDockerfile()) cpSync(join(ROOT, path), join(project, path), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'));
    const { exitCode, stdout, stderr } = await finished(
      Bun.spawn(['npm', 'run', '-s', 'build'], { cwd: project, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' }),
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(/ai-gateway: \d+ MB\n$/) });
    expect(stderr).not.toContain('error');
    expect(readdirSync(join(project, 'dist'))).toEqual(['ai-gateway']);
    copyFileSync(join(project, 'dist', 'ai-gateway'), to);
  } finally {
    rmSync(project, { recursive: true });
  }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-alone-'));
  await build(file('ai-gateway'));
  env = { PORT: String(await freePort()), ADMIN_PORT: String(await freePort()) };
  url = `http://127.0.0.1:${env.PORT}`;
  server = start('serve');
  await eventually('the executable serves', isReady, START_MS);
}, BUILD_MS);
afterAll(async () => {
  server?.kill('SIGKILL');
  await server?.exited;
  rmSync(folder, { recursive: true, force: true });
});

async function register(): Promise<Answer> {
  const response = await fetch(`${url}/api/agent/register`, { method: 'POST' });
  expect(response.status).toBe(201);
  return response.json();
}

const chat = (key: string, body: Record<string, unknown>) =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], ...body }),
  });

test('it makes its database, pepper and token in the folder it is in, and nothing else', () => {
  expect(readdirSync(folder).toSorted()).toEqual(['ai-gateway', 'data']);
  expect(readdirSync(file('data'))).toContainValues(['gateway.sqlite', 'pepper', 'admin-token']);
});

test('it serves the site, its style, its script and the docs in both languages', async () => {
  const page = await fetch(url, { headers: { accept: 'text/html' } });
  expect(page.status).toBe(200);
  const html = await page.text();
  const assets = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path);
  expect(assets.length).toBeGreaterThanOrEqual(2);
  for (const path of assets) {
    const asset = await fetch(url + path);
    expect([path, asset.status]).toEqual([path, 200]);
    expect((await asset.text()).length).toBeGreaterThan(100);
  }
  const doc = async (path: string) => (await fetch(url + path, { headers: { accept: 'text/html' } })).text();
  expect(await doc('/docs/operating')).toContain('<h1');
  expect(await doc('/docs/getting-started?lang=zh-TW')).toContain('lang="zh-TW"');
});

test('it registers, answers a chat on the demo channel and bills it', async () => {
  const { api_key: key } = await register();
  const free = await chat(key, { model: 'auto:free' });
  expect([free.status, free.headers.get('x-svc-channel')]).toEqual([200, 'demo']);
  expect(((await free.json()) as Answer).choices[0].message.content.length).toBeGreaterThan(10);
  const paid = await chat(key, { model: 'demo-small', stream: true, max_tokens: 50 });
  expect(paid.status).toBe(200);
  expect(await paid.text()).toEndWith('data: [DONE]\n\n');
  const me = await fetch(`${url}/api/me`, { headers: { authorization: `Bearer ${key}` } });
  expect(((await me.json()) as Answer).balance_ntd).toBeLessThan(1);
});

test('it answers an MCP client, whose part is loaded with the first message', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const { result }: Answer = await (await fetch(`${url}/mcp`, { method: 'POST', body })).json();
  expect(result.tools.map(({ name }: Answer) => name)).toContain('ask');
});

test('its operator port has the figures of these calls', async () => {
  const token = readFileSync(file('data/admin-token'), 'utf8').trim();
  const response = await fetch(`http://127.0.0.1:${env.ADMIN_PORT}/metrics`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(readScrape(await response.text()).sum('gateway_requests_total', { outcome: 'ok' })).toBe(2);
});

test('its operator port has the console, with its own style', async () => {
  const console = `http://127.0.0.1:${env.ADMIN_PORT}`;
  const html = await (await fetch(`${console}/sign-in`, { headers: { accept: 'text/html' } })).text();
  const style = /href="(\/assets\/console-[^"]+)"/.exec(html)?.[1];
  expect(await (await fetch(console + style)).text()).toContain('.paper-cards');
});

describe('the command line in it', () => {
  test('works beside the server', async () => {
    expect(await run('health')).toEqual({ exitCode: 0, stdout: 'ready\n', stderr: '' });
    expect((await run('help')).stdout).toStartWith('usage: ai-gateway COMMAND');
    const { version } = await Bun.file(join(ROOT, 'package.json')).json();
    expect((await run('--version')).stdout).toBe(`${version}\n`);
    const audit = await run('ledger', 'audit');
    expect([audit.exitCode, audit.stderr]).toEqual([0, '']);
    expect(audit.stdout).toStartWith('clean: 1 wallet, 2 entries, total 0\n');
    const issued = await run('cards', 'issue', '--amount', '5', '--count', '1', '--json');
    expect([issued.exitCode, issued.stdout]).toEqual([0, expect.stringMatching(/PC-[0-9A-Z-]{34}/)]);
    expect((await run('channels', 'test', 'demo')).exitCode).toBe(0);
  });

  test('takes no settings from a file .env in the folder it is called in', async () => {
    await Bun.write(file('.env'), 'DATA_DIR=elsewhere\n');
    try {
      expect((await run('ledger', 'audit')).stdout).toStartWith('clean: 1 wallet');
      expect(readdirSync(folder)).not.toContain('elsewhere');
    } finally {
      rmSync(file('.env'));
    }
  });

  test('checks and exports a catalog, and refuses as it should', async () => {
    const exported = await run('config', 'export');
    expect(exported.stdout).toContain('auto:free');
    await Bun.write(file('good.yaml'), exported.stdout);
    await Bun.write(file('bad.yaml'), 'channels: []\n');
    expect((await run('config', 'check', 'good.yaml')).exitCode).toBe(0);
    expect((await run('config', 'check', 'bad.yaml')).exitCode).toBe(1);
    expect((await run('no', 'such')).exitCode).toBe(2);
    expect((await run()).exitCode).toBe(2);
  });

  test('backs up and restores', async () => {
    expect((await run('backup', 'copy.sqlite')).exitCode).toBe(0);
    mkdirSync(file('drill'));
    copyFileSync(file('data/pepper'), file('drill/pepper'));
    const before = env;
    env = { ...env, DATA_DIR: 'drill' };
    try {
      expect((await run('restore', 'copy.sqlite')).exitCode).toBe(0);
      expect((await run('ledger', 'audit')).stdout).toStartWith('clean: 1 wallet');
    } finally {
      env = before;
    }
  });
});

test('it is one process that drains on SIGTERM and ends with 0; what it did is there at the next start', async () => {
  const { api_key: key } = await register();
  server.kill('SIGTERM');
  expect(await server.exited).toBe(0);
  expect((await run('health')).exitCode).toBe(1);
  server = start('serve');
  await eventually('it serves again', isReady, START_MS);
  expect((await fetch(`${url}/api/me`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
});

test('with PROCESSES and PostgreSQL it starts itself anew, twice, on one port; a move says how it is started', async () => {
  const postgres = await sharePostgres();
  const before = env;
  try {
    const { url: DATABASE_URL } = await postgres.createDatabase();
    const SECRETS_PEPPER = 'a pepper for every process';
    env = { PORT: String(await freePort()), ADMIN_PORT: '0', PROCESSES: '2', DATABASE_URL, SECRETS_PEPPER };
    const two = start('serve');
    let written = '';
    const reading = (async () => {
      for await (const piece of two.stdout.pipeThrough(new TextDecoderStream() as never)) written += piece;
    })();
    const count = (event: string) => logged({ stdout: () => written }, event).length;
    await eventually('both serve', () => count('serving') === 2, START_MS);
    two.kill('SIGTERM');
    expect(await two.exited).toBe(0);
    await reading;
    expect(count('stopped')).toBe(2);
    const { url: target } = await postgres.createDatabase();
    // Nothing but a revision is in it: the copy of a running server has its lease for a while.
    env = { DATA_DIR: 'moved', SECRETS_PEPPER };
    expect((await run('config', 'apply', 'good.yaml')).exitCode).toBe(0);
    expect((await run('move', '--to', target)).stdout).toEndWith(
      ' SECRETS_PEPPER="$SECRETS_PEPPER" ai-gateway serve\n',
    );
  } finally {
    env = before;
    await postgres.stop();
  }
});
