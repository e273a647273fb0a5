// The next steps that registration hands out are lines that run when pasted.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { issueCard } from '../support/issue-cards.ts';
import { readCommands } from '../support/read-command.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

test('every next step runs and succeeds', async () => {
  const registered: Answer = await (await gateway.call('/api/agent/register', { body: {} })).json();
  const { code } = await issueCard(gateway);
  const reached: string[] = [];
  const created: Answer[] = [];
  for (const { why, run } of registered.next_steps) {
    expect(why).toMatch(/\w+/);
    const [call, ...others] = readCommands(run.replace('PC-…', code));
    expect(others).toEqual([]);
    const response = await fetch(call?.url ?? '', { ...call });
    expect(response.ok, run).toBe(true);
    const path = new URL(call?.url ?? '').pathname;
    reached.push(path);
    const text = await response.text();
    if (path === '/v1/chat/completions') expect(text).toEndWith('data: [DONE]\n\n');
    if (path === '/api/keys') created.push(JSON.parse(text));
    if (path === '/api/quote') expect(JSON.parse(text)).toMatchObject({ model: 'auto:free', refusal: null });
    if (path === '/mcp') expect(JSON.parse(text).result.tools.length).toBeGreaterThan(0);
    if (path === '/api/redeem') expect(JSON.parse(text).credited_ntd).toBeGreaterThan(0);
  }
  expect(reached).toEqual([
    '/v1/chat/completions',
    '/v1/models',
    '/api/quote',
    '/api/keys',
    '/api/keys',
    '/mcp',
    '/api/redeem',
    '/api/me',
    '/api/usage',
  ]);
  expect(created).toMatchObject([
    { manage: false, delegate: false, budgets: { day_ntd: 0.5 }, rates: { in_flight: 4 } },
    { manage: false, delegate: true, budgets: { month_ntd: 0.5 } },
  ]);
});
