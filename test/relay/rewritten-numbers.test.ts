// A translation writes the numbers of schemas anew, in all their digits. The hold has room for these.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chatAnswer } from '../support/openai-chat.ts';

const COUNT = 1_000;
const LONG = '1e20';
const schema = `{"type":"object","properties":{"n":{"enum":[${Array(COUNT).fill(LONG).join()}]}}}`;
const tool = `{"name":"count","input_schema":${schema}}`;
const wrapped = `{"type":"json_schema","schema":${schema}}`;
const asks = (messages: string, rest: string) =>
  `{"model":"up-paid","max_tokens":5,"messages":[{"role":"user","content":"Hi"}${messages}]${rest}}`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const bodies: [where: string, body: string][] = [
  ['a tool', asks('', `,"tools":[${tool}]`)],
  ['the format of the answer', asks('', `,"output_config":{"format":${wrapped}}`)],
];
test.each(bodies)('in %s: what they are at one token a digit is held, and charged', async (_, body) => {
  const { key } = await gateway.register();
  const input = COUNT * String(Number(LONG)).length;
  gateway.upstream.next(chatAnswer({ usage: { prompt_tokens: input, completion_tokens: 2, total_tokens: input + 2 } }));
  const response = await gateway.call('/v1/messages', { key, body });
  expect(response.status).toBe(200);
  const { usage }: Answer = await response.json();
  expect(usage.input_tokens).toBe(input);
  const { data }: Answer = await gateway.get('/api/usage', key);
  expect(data[0].cost_ntd).toBeCloseTo((input * 10 + 2 * 40.123) / 1_000_000, 9);
  expect(gateway.sql("SELECT 1 FROM entries WHERE debit = 'house:write_off'")).toEqual([]);
});
