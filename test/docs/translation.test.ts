// What docs/translation.md says is left out and how thinking is measured, held against the gateway itself. That the table
// of quirks is the source's own is tested with the other generated parts.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { budgetOf, effortOf } from '../../src/dialects/translate/effort.ts';
import { type ClientGateway, startClientGateway } from '../support/client-gateway.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { openaiChannel, upModel, upstreamUrl } from '../support/test-document.ts';

const page = readFileSync(join(import.meta.dir, '..', '..', 'docs', 'translation.md'), 'utf8');

/** The cells of the table that begins with this head, row by row. */
function tableUnder(head: string): string[][] {
  const [, rest = ''] = page.split(`\n${head}\n`);
  const [table = ''] = rest.split('\n\n');
  return table
    .split('\n')
    .slice(1)
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const named = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

/** The upstream's name for a model that takes all that its vendor's models ever take. */
const MODELS: Record<string, string> = {
  'on-openai-without-responses': 'gpt-4o',
  'on-anthropic': 'claude-sonnet-4-5',
  'on-gemini': 'gemini-2.0-flash',
  'on-responses': 'gpt-4o',
};
const CHANNELS: Record<string, string> = {
  chat: 'on-openai-without-responses',
  messages: 'on-anthropic',
  gemini: 'on-gemini',
  responses: 'on-responses',
};

const CHAT_TOOL = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } };
/** `settings`: of two that mean the same only the first would count, so they are asked for one after the other. */
const CLIENTS: Record<string, { path: string; body: Record<string, unknown>; settings: Record<string, unknown>[] }> = {
  chat: {
    path: '/v1/chat/completions',
    body: { messages: [{ role: 'user', content: 'Hi' }] },
    settings: [
      {
        seed: 7,
        frequency_penalty: 0.5,
        presence_penalty: 0.5,
        logprobs: true,
        top_logprobs: 3,
        logit_bias: { '1': -1 },
        verbosity: 'low',
        service_tier: 'flex',
        prompt_cache_key: 'k',
        prompt_cache_retention: '24h',
        prediction: { type: 'content', content: 'x' },
        metadata: { a: 'b' },
        store: true,
        web_search_options: {},
        user: 'u',
        tools: [CHAT_TOOL],
        parallel_tool_calls: false,
        temperature: 0.5,
        top_k: 40,
      },
      { safety_identifier: 'u' },
    ],
  },
  messages: {
    path: '/v1/messages',
    body: { max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] },
    settings: [
      {
        top_k: 40,
        temperature: 0.5,
        context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
        container: 'c',
        mcp_servers: [{ type: 'url', url: 'https://mcp.example.com', name: 'm' }],
        metadata: { user_id: 'u' },
        service_tier: 'standard_only',
        inference_geo: 'us',
        tools: [
          { type: 'web_search_20250305', name: 'web_search' },
          { name: 'look', input_schema: { type: 'object' } },
        ],
        tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      },
    ],
  },
  responses: {
    path: '/v1/responses',
    body: { input: 'Hi' },
    settings: [
      {
        truncation: 'auto',
        max_tool_calls: 3,
        metadata: { a: 'b' },
        service_tier: 'flex',
        prompt_cache_key: 'k',
        prompt_cache_retention: '24h',
        text: { verbosity: 'low' },
        top_logprobs: 3,
        include: ['message.output_text.logprobs'],
        user: 'u',
        tools: [{ type: 'web_search' }, { type: 'function', name: 'look', parameters: { type: 'object' } }],
        parallel_tool_calls: false,
        temperature: 0.5,
      },
      { safety_identifier: 'u' },
    ],
  },
};

let gateway: ClientGateway;

beforeAll(async () => {
  gateway = await startClientGateway({
    // It stands still: so neither of two calls at once is turned away because a disk is slow.
    clock: createManualClock(),
    document: (standard) => ({
      ...standard,
      channels: [
        ...standard.channels,
        openaiChannel('on-responses', upstreamUrl(standard), { endpoints: ['responses'] }),
      ],
      models: [...standard.models, upModel('on-responses', { price: { input: 1, output: 1 } })].map((model) => {
        const upstream = MODELS[String(model.id)];
        return upstream === undefined ? model : { ...model, routes: [{ channel: model.id, model: upstream }] };
      }),
    }),
  });
  gateway.answer(() => ({ pieces: ['Hello'] }));
});
afterAll(() => gateway.stop());

function ask(client: string, upstream: string, headers: Record<string, string> = {}): Promise<Response[]> {
  const { path, body, settings } = CLIENTS[client] ?? { path: '', body: {}, settings: [] };
  return Promise.all(
    settings.map((asked) =>
      gateway.call(path, { key: gateway.key, body: { model: CHANNELS[upstream], ...body, ...asked }, headers }),
    ),
  );
}

describe('what is left out', () => {
  const rows = tableUnder('| client | upstream | left out |');

  test('is told for every pair that is translated', () => {
    expect(rows.map(([client, upstream]) => `${client} ${upstream}`)).toEqual([
      'chat messages',
      'chat gemini',
      'chat responses',
      'messages chat',
      'messages responses',
      'messages gemini',
      'responses chat',
      'responses messages',
      'responses gemini',
    ]);
  });

  test.each(rows)('from %s to %s: %s', async (client = '', upstream = '', names = '') => {
    const responses = await ask(client, upstream);
    for (const response of responses) expect(response.status, await response.clone().text()).toBe(200);
    const dropped = responses.flatMap(({ headers }) => headers.get('x-svc-dropped')?.split(',') ?? []);
    expect(dropped.toSorted()).toEqual(named(names).toSorted());

    const refused = (await ask(client, upstream, { 'x-svc-strict': '1' })).filter(({ status }) => status === 400);
    expect(refused).toHaveLength(responses.filter(({ headers }) => headers.has('x-svc-dropped')).length);
    for (const strict of refused) {
      const { error } = await strict.json();
      expect([error.code, named(names).includes(error.param)]).toEqual(['invalid_request', true]);
    }
  });
});

test('effort and budget are as the page says', () => {
  const rows = tableUnder('| effort | sent as budget | read from a budget of |');
  const numberOf = (cell = '') => Number(cell.replaceAll(',', ''));
  for (const [effort = '', budget, from] of rows) {
    expect(budgetOf(named(effort)[0])).toBe(numberOf(budget));
    if (from !== 'never') expect(effortOf(numberOf(from))).toBe(named(effort)[0] ?? '');
    if (from !== 'never' && from !== '1') expect(effortOf(numberOf(from) - 1)).not.toBe(named(effort)[0] ?? '');
  }
  expect(rows).toHaveLength(5);
});

test.each([
  ['messages', 'a_field_of_tomorrow,strict'],
  ['gemini', 'a_field_of_tomorrow,strict'],
  ['responses', 'a_field_of_tomorrow'],
])('from chat to %s, fields that no format knows and strict tools: %s', async (upstream, dropped) => {
  const tools = [{ type: 'function', function: { name: 'look', strict: true, parameters: { type: 'object' } } }];
  const messages = [{ role: 'user', content: 'Hi' }];
  const body = { model: CHANNELS[upstream], messages, tools, a_field_of_tomorrow: 1 };
  const response = await gateway.call('/v1/chat/completions', { key: gateway.key, body });
  expect(response.status, await response.clone().text()).toBe(200);
  expect(response.headers.get('x-svc-dropped')).toBe(dropped);
});
