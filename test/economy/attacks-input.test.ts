// Requests that are dearer to the vendor than they look: fields that only look like ours, levers of single vendors, and
// input whose size only the vendor knows.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createGate, eventually } from '../support/eventually.ts';
import { ask, FORMATS } from './clients.ts';
import { type Customer, type Market, modelOf, startMarket } from './market.ts';
import type { Speech } from './vendor.ts';

type Fields = Record<string, unknown>;

const WIDE_TOKENS = 100_000;
/** Nano-NT$ per token of the wide models. */
const WIDE_PRICE = 1_000n;

let market: Market;
let customer: Customer;

beforeAll(async () => {
  const wide = { context_tokens: WIDE_TOKENS, price: { input: 1, output: 4 } };
  market = await startMarket({
    models: [
      modelOf('wide-chat', 'chat', 'gemini-2.5-pro', wide),
      modelOf('wide-messages', 'messages', 'claude-sonnet-4-5', wide),
    ],
  });
});
beforeEach(async () => {
  market.vendor.reset();
  customer = await market.join();
});
afterAll(() => market.stop());

describe('a field that only looks like one of ours, and a lever of one vendor, never reach it', () => {
  const weather = { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } };
  const CASES: [name: string, model: string, fields: Fields][] = [
    ['MODEL', 'auto:free', { MODEL: 'big' }],
    ['Max_Tokens', 'auto:free', { Max_Tokens: 1_000_000 }],
    ['N', 'auto:free', { N: 128 }],
    ['N', 'by-chat', { N: 128 }],
    ['n_predict', 'by-chat', { n_predict: 1_000_000 }],
    ['thinking_budget', 'by-chat', { thinking_budget: 1_000_000 }],
    ['chat_template', 'by-chat', { chat_template: '{{ "x" * 1000000 }}' }],
    ['deferred', 'by-chat', { deferred: true }],
    ['google_search', 'auto:free', { tools: [weather, { google_search: {} }] }],
  ];

  /** It reaches the vendor, but not with more than the bound of the output leaves for it. */
  const isShared = (name: string) => name === 'thinking_budget';

  test.each(CASES.filter(([name]) => !isShared(name)))('%s, on %s', async (name, model, fields) => {
    market.vendor.next({ pieces: [' a'] });
    const response = await ask(customer, 'chat', { model, ...fields });
    expect(response.status).toBe(200);
    expect(market.vendor.calls).toHaveLength(1);
    const { json } = market.vendor.calls[0]?.request ?? { json: {} };
    expect(JSON.stringify(json)).not.toContain(`"${name}"`);
    expect(response.headers.get('x-svc-dropped')?.split(/[, ]+/)).toContain(name);
  });

  test.each(CASES)('%s is refused in strict mode, on %s', async (_name, model, fields) => {
    const body = FORMATS.chat.body('Hi', { model, ...fields });
    const response = await customer.open('/v1/chat/completions', body, { headers: { 'x-svc-strict': '1' } });
    expect(response.status).toBe(400);
    expect(market.vendor.calls).toHaveLength(0);
  });

  test('thinking_budget and the bound of the output together are no more than was admitted', async () => {
    market.vendor.next({ pieces: [' a'] });
    const response = await ask(customer, 'chat', { thinking_budget: 1_000_000, max_tokens: 1_000 });
    expect(response.status).toBe(200);
    const { json } = market.vendor.calls[0]?.request ?? { json: {} };
    const { thinking_budget = 0, max_tokens = 0, max_completion_tokens = 0 } = json;
    expect(thinking_budget + max_tokens + max_completion_tokens).toBeWithin(1, 1_001);
    expect(response.headers.get('x-svc-dropped')?.split(/[, ]+/)).toContain('thinking_budget');
  });

  test('a thinking_budget that would be lowered is refused in strict mode', async () => {
    const body = FORMATS.chat.body('Hi', { thinking_budget: 1_000_000, max_tokens: 1_000 });
    const response = await customer.open('/v1/chat/completions', body, { headers: { 'x-svc-strict': '1' } });
    expect(response.status).toBe(400);
    expect(market.vendor.calls).toHaveLength(0);
  });

  test('all at once: the upstream gets the model and the bound that were admitted, and one answer is asked for', async () => {
    market.vendor.next({ pieces: [' a'] });
    const fields = { model: 'auto:free', MODEL: 'big', Max_Tokens: 1_000_000, N: 128 };
    expect((await ask(customer, 'chat', fields)).status).toBe(200);
    const { json } = market.vendor.calls[0]?.request ?? { json: {} };
    const named = Object.entries(json).map(([name, value]) => [name.toLowerCase(), value]);
    expect(named.filter(([name]) => name === 'model')).toEqual([['model', 'small']]);
    expect(named.filter(([name]) => name === 'n')).toEqual([]);
    const bounds = named.filter(([name]) => /max.*tokens/.test(String(name)));
    expect(bounds).toHaveLength(1);
    expect(Number(bounds[0]?.[1])).toBeLessThanOrEqual(1_000);
  });
});

describe('what only the vendor can measure is held as the most it can bill', () => {
  const BILLED = 95_000;
  const base64 = (bytes: number) => Buffer.alloc(bytes, 7).toString('base64');
  const dataUrl = (type: string, bytes: number) => `data:${type};base64,${base64(bytes)}`;
  const said = (part: Fields) => ({
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Read it.' }, part] }],
  });
  const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
  const image = (url: string) => said({ type: 'image_url', image_url: { url } });
  const file = (filename: string, file_data: string) => said({ type: 'file', file: { filename, file_data } });
  const audio = (format: string) => said({ type: 'input_audio', input_audio: { format, data: base64(6_000) } });

  test.each<[string, Speech, Fields]>([
    ['a PDF as an image', 'chat', image(dataUrl('application/pdf', 3_000))],
    ['a video as an image', 'chat', image(dataUrl('video/mp4', 3_000))],
    ['a DOCX as a file', 'chat', file('report.docx', dataUrl(docx, 3_000))],
    ['an hour of silence as FLAC', 'chat', audio('flac')],
    ['an hour of silence as Opus', 'chat', audio('opus')],
    ['40 searches', 'messages', { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 40 }] }],
  ])('%s', async (_what, speech, fields) => {
    const gate = createGate();
    market.vendor.next({ input: BILLED, pieces: [' a'], pauses: [{ after: 0, until: gate.opened }] });
    const call = ask(customer, speech, { model: `wide-${speech}`, max_tokens: 100, ...fields });
    await eventually('the vendor to be asked', () => market.vendor.calls.length > 0);
    const held = await customer.held();
    gate.open();
    expect((await call).status).toBe(200);
    await customer.record();
    expect(await customer.paid()).toBe(BigInt(BILLED) * WIDE_PRICE + WIDE_PRICE * 4n);
    expect(held).toBeGreaterThanOrEqual(BigInt(BILLED) * WIDE_PRICE);
    expect(market.gateway.log.alarms('usage_above_hold')).toEqual([]);
  });
});
