// An agent that knows only the address finds everything by published conventions, each followed here as a client would:
// the API catalog (RFC 9727), protected resource metadata (RFC 9728), auth.md, skill.md, llms.txt and Link headers.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { parse } from 'yaml';
import { ROUTES } from '../../src/http/route-table.ts';
import type { Answer } from '../support/answer.ts';
import { codeBlocks } from '../support/code-blocks.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { issueCard } from '../support/issue-cards.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    limits: { register_per_ip: 7_101, register_per_day: 7_102, free_per_minute: 7_103 },
    env: { SITE_NAME: 'Some Gateway', TERMS_URL: 'https://terms.example' },
  });
});
afterAll(() => gateway.stop());

const textAt = async (path: string) => {
  const response = await gateway.call(path);
  expect(response.status, path).toBe(200);
  return response.text();
};

/** The links of a header, by their relation. */
function readLinks(header: string | null): Map<string, string> {
  const links = [...(header ?? '').matchAll(/<([^>]+)>; rel="([^"]+)"/g)];
  return new Map(links.map(([, href = '', rel = '']) => [rel, href]));
}

/** Runs the shell blocks of a page as they stand, one after the other. */
async function runBlocks(markdown: string, env: Record<string, string>): Promise<string> {
  const script = codeBlocks(markdown)
    .filter(({ language }) => language === 'sh')
    .map(({ code }) => code)
    .join('\necho\n');
  const child = Bun.spawn(['sh', '-ec', script], {
    env: { PATH: process.env.PATH ?? '', no_proxy: '127.0.0.1', ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [output, errors, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  expect([exitCode, errors]).toEqual([0, '']);
  return output;
}

describe('the API catalog', () => {
  test('names the APIs, and for each its description, docs and status', async () => {
    const response = await gateway.call('/.well-known/api-catalog');
    expect(response.headers.get('content-type')).toStartWith('application/linkset+json');
    const { linkset }: Answer = await response.json();
    const contextOf = (anchor: string) => linkset.find((context: Answer) => context.anchor === anchor);
    const { item } = contextOf(`${gateway.url}/.well-known/api-catalog`);
    expect(item.length).toBeGreaterThan(0);
    const described = new Set<string>();
    for (const { href: api } of item) {
      const { anchor, 'service-desc': descriptions, 'terms-of-service': terms, ...others } = contextOf(api);
      expect(anchor).toBe(api);
      const openapi: Answer = await (await fetch(descriptions[0].href)).json();
      for (const path of Object.keys(openapi.paths)) {
        if (`${openapi.servers[0].url}${path}`.startsWith(`${api}/`)) described.add(path);
      }
      expect(terms).toEqual([{ href: 'https://terms.example' }]);
      expect(Object.keys(others)).toEqual(['service-doc', 'service-meta', 'status', 'version-history', 'deprecation']);
      for (const { href, type } of Object.values<Answer>(others).flat()) {
        const linked = await fetch(href, { headers: { accept: type } });
        expect([linked.status, linked.headers.get('content-type')]).toEqual([200, expect.stringContaining(type)]);
      }
    }
    expect([...described]).toEqual(expect.arrayContaining(['/v1/chat/completions', '/api/me', '/api/keys/{id}']));
  });

  test('answers HEAD with a link to itself', async () => {
    const response = await gateway.call('/.well-known/api-catalog', { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(readLinks(response.headers.get('link')).get('api-catalog')).toBe(`${gateway.url}/.well-known/api-catalog`);
  });
});

describe('a 401', () => {
  test.each(['/v1/models', '/v1/messages', '/api/me', '/api/keys'])('of %s leads to a key that works', async (path) => {
    const refused = await gateway.call(path, path === '/v1/messages' ? { body: {} } : {});
    expect(refused.status).toBe(401);
    const challenge = refused.headers.get('www-authenticate') ?? '';
    expect(challenge).toStartWith('Bearer ');
    const [, metadataUrl = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
    const metadata: Answer = await (await fetch(metadataUrl)).json();
    // As the RFC has it, the metadata must be of the resource that was asked.
    expect(metadataUrl).toBe(`${metadata.resource}/.well-known/oauth-protected-resource`);
    expect(refused.url).toStartWith(`${metadata.resource}/`);
    expect(metadata).toMatchObject({ resource_name: 'Some Gateway', bearer_methods_supported: ['header'] });
    expect(metadata.agent_auth.identity_types_supported).toEqual(['anonymous']);
    const registered = await fetch(metadata.agent_auth.register_uri, { method: 'POST' });
    const { api_key: key }: Answer = await registered.json();
    expect((await gateway.call('/api/me', { key })).status).toBe(200);
    expect(await (await fetch(metadata.agent_auth.skill)).text()).toStartWith('# auth.md');
  });
});

test.each(['/.well-known/api-catalog', '/.well-known/oauth-protected-resource', '/changelog.json'])(
  '%s may be read by a client in a web page',
  async (path) => {
    const { headers } = await gateway.call(path, { headers: { origin: 'https://agent.example' } });
    expect(headers.get('access-control-allow-origin')).toBe('*');
  },
);

test('auth.md: its commands register and use a key, with the limits of this server', async () => {
  const { key } = await gateway.register();
  const page = await textAt('/auth.md');
  expect(page).toContain('register 7101 accounts in 24 hours, the whole service 7102 a day');
  const output = await runBlocks(page, { KEY: key });
  expect(output.match(/"api_key":"sk-svc-/g)).toHaveLength(3);
  expect(output).toContain('"in_flight":4');
  expect(output).toContain('"delegate":true');
  expect(output).toContain('"account_id"');
  expect(output).not.toContain('"error"');
});

test('skill.md: its front matter is that of a skill, and its commands run', async () => {
  const { code } = await issueCard(gateway);
  const page = await textAt('/skill.md');
  const [, front = ''] = /^---\n([\s\S]*?)\n---\n/.exec(page) ?? [];
  expect(parse(front)).toEqual({ name: 'some-gateway', description: expect.stringContaining(gateway.url) });
  expect(page).toContain('7103 times a minute');
  const output = await runBlocks(page.replaceAll('PC-…', code), {});
  expect(output).toContain('data: [DONE]');
  expect(output).toContain('"price_unit":"NT$ per 1M tokens"');
  expect(output).toContain('"credited_ntd":100');
  expect(output).toContain('"max_cost_ntd":0');
  expect(output).toContain('"name":"agent-1"');
  expect(output).not.toContain('"error"');
});

describe('llms.txt', () => {
  test('names every call of the API, and leads to its description', async () => {
    const text = await textAt('/llms.txt');
    const openapi: Answer = await (await gateway.call('/openapi.json')).json();
    const lines = [...text.matchAll(/^- \[([A-Z]+ \/[^\]]*)\]\(([^)]*)\): (.+)$/gm)];
    const called = lines.map(([, name = '']) => name.replaceAll(/\{(\w+)\}/g, ':$1'));
    expect(called.toSorted()).toEqual(ROUTES.map(({ name }) => name as string).toSorted());
    for (const [, , link = ''] of lines) {
      const [address, pointer = ''] = link.split('#');
      expect(address).toBe(`${gateway.url}/openapi.json`);
      const steps = pointer
        .split('/')
        .slice(1)
        .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
      const found = steps.reduce((value: Answer, step) => value?.[step], openapi);
      expect(found?.operationId, link).toBeString();
    }
  });

  test('has the limits in force, and links that lead somewhere', async () => {
    const text = await textAt('/llms.txt');
    expect(text).toContain('7103 requests a minute');
    const links = [...text.matchAll(/\]\(([^)#]+)\)/g)].map(([, href = '']) => href);
    expect(links.length).toBeGreaterThan(15);
    for (const link of links) expect((await fetch(link)).status, link).toBe(200);
  });

  test('describes each page of the docs in a whole sentence', async () => {
    const lines = [...(await textAt('/llms.txt')).matchAll(/^- \[[^\]]+\]\(\S+\/docs\/([\w-]+)\.md\): (.+)$/gm)];
    expect(lines.map(([, name = '']) => name)).toContain('billing');
    for (const [line, , about = ''] of lines) expect(about, line).toMatch(/^[A-Z].{20,}\.$/);
  });

  test('llms-full.txt has every page for users as it stands', async () => {
    const full = await textAt('/llms-full.txt');
    for (const page of ['getting-started', 'clients', 'accounts', 'limits', 'billing', 'errors', 'relay']) {
      expect(full).toContain((await textAt(`/docs/${page}.md`)).trim());
    }
  });
});

test.each(['/', '/api/public/catalog', '/api/public/status', '/openapi.json', '/llms.txt', '/changelog.json'])(
  'the Link header of %s leads to the rest',
  async (path) => {
    const links = readLinks((await gateway.call(path)).headers.get('link'));
    expect([...links.keys()]).toEqual(['api-catalog', 'service-desc', 'service-doc', 'status', 'version-history']);
    for (const [rel, href] of links) expect((await fetch(href)).status, rel).toBe(200);
  },
);
