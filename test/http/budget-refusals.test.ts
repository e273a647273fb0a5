// A refusal for money says which budget is too low, how it stands, what the call would reserve and why, and what helps: each
// of its actions works as it is written.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { DAY_MS } from '../../src/kit/clock.ts';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { createGate } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { responseAnswer } from '../support/openai-responses.ts';
import { createShiftedClock } from '../support/shifted-clock.ts';
import { upModel } from '../support/test-document.ts';

const CHAT = '/v1/chat/completions';
const MESSAGES = [{ role: 'user', content: 'Hi' }];
/** Nano-NT$ per token of `plain`. */
const INPUT = 10_000n;
const OUTPUT = 40_000n;
const CHARGED = 11n * INPUT + 7n * OUTPUT;
const clock = createShiftedClock({ standsStill: true });
let gateway: TestGateway;
let account: TestAccount;

beforeAll(async () => {
  gateway = await startTestGateway({
    clock,
    document: (standard) => ({
      ...standard,
      models: [
        ...standard.models,
        upModel('plain', { price: { input: 10, output: 40 }, max_output_tokens: 5_000 }),
        upModel('dear', { price: { input: 1_000, output: 100_000 } }),
        upModel('searching', { price: { input: 10, output: 40, tools: { web_search: 0.001 } } }),
        upModel('odd', { price: { input: 10.001, output: 40.123, tools: { web_search: 0.001 } } }),
      ],
    }),
  });
});
beforeEach(async () => {
  gateway.upstream.reset();
  gateway.upstream.otherwise(({ path }) => (path.endsWith('/responses') ? responseAnswer() : chatAnswer()));
  account = await gateway.register();
});
afterAll(() => gateway.stop());

const ntd = (nano: bigint) => Number(nano) / 1e9;
const withBudget = (nano: bigint) => createKey(gateway, account.key, { daily_budget_ntd: ntd(nano) });

async function refusalOf(key: string, body: Record<string, unknown>, endpoint = CHAT, headers = {}): Promise<Answer> {
  const response = await gateway.call(endpoint, { key, body, headers });
  const { error }: Answer = await response.json();
  expect(response.status).toBe(402);
  return error;
}

/** The input tokens that a body is counted as at most. */
async function upperOf(body: Record<string, unknown>, endpoint = CHAT): Promise<bigint> {
  const response = await gateway.call('/api/quote', { key: account.key, body: { endpoint, body } });
  const { input_tokens }: Answer = await response.json();
  return BigInt(input_tokens.upper);
}

const perform = ({ method, href, headers = {}, body }: Answer, key: string) =>
  gateway.call(new URL(href).pathname, { key, method, headers, ...(body === undefined ? {} : { body }) });
const pathsOf = ({ actions }: Answer) => actions.map(({ href }: Answer) => new URL(href).pathname);

describe('a daily budget that is too low', () => {
  const body = { model: 'plain', max_tokens: 500, messages: MESSAGES };

  test('is named with its figures, and so is what the call would reserve', async () => {
    const upper = await upperOf(body);
    const limit = CHARGED + upper * INPUT + 16n * OUTPUT - 1n;
    const { id, key } = await withBudget(limit);
    expect((await gateway.call(CHAT, { key, body: { ...body, max_tokens: 16 } })).status).toBe(200);
    const left = limit - CHARGED;
    const needed = upper * INPUT + 16n * OUTPUT;
    const error = await refusalOf(key, body);
    expect(error).toMatchObject({
      code: 'key_budget_exceeded',
      budget: 'day',
      key_id: id,
      limit_ntd: ntd(limit),
      spent_ntd: ntd(CHARGED),
      spent_nano: CHARGED.toString(),
      held_ntd: 0,
      held_nano: '0',
      left_ntd: ntd(left),
      left_nano: left.toString(),
      needed_ntd: ntd(needed),
      needed_nano: needed.toString(),
      available_nano: left.toString(),
      affordable_max_tokens: 15,
      resets_at: expect.any(String),
    });
    const raised = CHARGED + upper * INPUT + 500n * OUTPUT;
    expect(error.message).toBe(
      `The daily budget of ${id} does not cover this request: of NT$${ntd(limit)}, NT$${ntd(CHARGED)} is spent and NT$${ntd(left)} is left. ` +
        `At least NT$${ntd(needed)} must be reserved for this request: NT$${ntd(upper * INPUT)} for up to ${upper} input tokens at NT$10 per 1M and NT$${ntd(16n * OUTPUT)} for 16 output tokens at NT$40 per 1M. ` +
        `Lower max_tokens to 14, raise the budget to NT$${ntd(raised)} with a managing key, use the free model auto:free, or wait for the next day in Taipei.`,
    );
  });

  test('counts what running calls hold', async () => {
    const upper = await upperOf(body);
    const hold = upper * INPUT + 100n * OUTPUT;
    const { key } = await withBudget(hold + 10n * OUTPUT);
    const gate = createGate();
    gateway.upstream.next({ ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] });
    const running = gateway.call(CHAT, { key, body: { ...body, max_tokens: 100 } });
    await gateway.upstream.request(0);
    const long = { ...body, messages: [{ role: 'user', content: 'word '.repeat(200) }] };
    const error = await refusalOf(key, long);
    expect(error).toMatchObject({ code: 'key_budget_exceeded', spent_nano: '0', held_nano: hold.toString() });
    expect(error.left_nano).toBe((10n * OUTPUT).toString());
    gate.open();
    expect((await running).status).toBe(200);
  });

  test('that only running calls hold is told as in use, with the same figures', async () => {
    const upper = await upperOf(body);
    const hold = upper * INPUT + 100n * OUTPUT;
    const { id, key } = await withBudget(hold + upper * INPUT);
    const gate = createGate();
    gateway.upstream.next({ ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] });
    const running = gateway.call(CHAT, { key, body: { ...body, max_tokens: 100 } });
    await gateway.upstream.request(0);
    const quote = await gateway.call('/api/quote', { key, body: { endpoint: CHAT, body } });
    const { refusal }: Answer = await quote.json();
    expect(refusal).toMatchObject({ code: 'balance_in_use', budget: 'day', key_id: id, held_nano: hold.toString() });
    expect(refusal).not.toHaveProperty('resets_at');
    gate.open();
    expect((await running).status).toBe(200);
  });

  test.each([
    ['chat', CHAT, body, 'max_tokens'],
    ['newer chat', CHAT, { model: 'plain', max_completion_tokens: 500, messages: MESSAGES }, 'max_completion_tokens'],
    ['messages', '/v1/messages', body, 'max_tokens'],
    ['responses', '/v1/responses', { model: 'plain', max_output_tokens: 500, input: 'Hi' }, 'max_output_tokens'],
  ])('names calls that work as they are written: %s', async (_name, endpoint, asked, bound) => {
    const upper = await upperOf(asked, endpoint);
    const { id, key } = await withBudget(upper * INPUT + 15n * OUTPUT);
    const error = await refusalOf(key, asked, endpoint);
    expect(pathsOf(error)).toEqual([endpoint, `/api/keys/${id}`, endpoint, '/api/me']);
    const [smaller, raise, free, me] = error.actions;
    expect(smaller.body).toMatchObject({ model: 'plain', [bound]: 13 });
    for (const action of [free, me, smaller]) expect((await perform(action, key)).status).toBe(200);

    const other = await withBudget(upper * INPUT + 15n * OUTPUT);
    const told = await refusalOf(other.key, asked, endpoint);
    expect(told.actions[1].body).toEqual(raise.body);
    expect((await perform(told.actions[1], other.key)).status).toBe(403);
    expect((await perform(told.actions[1], account.key)).status).toBe(200);
    const answered = await gateway.call(endpoint, { key: other.key, body: asked });
    expect(answered.status).toBe(200);
    expect(answered.headers.has('x-svc-max-tokens')).toBe(false);
  });

  test('names a smaller call that is covered also when it is written with spaces', async () => {
    const upper = await upperOf(body);
    const { key } = await withBudget(upper * INPUT + 15n * OUTPUT);
    const { actions, affordable_max_tokens } = await refusalOf(key, body);
    expect(actions[0].body.max_tokens).toBeWithin(1, affordable_max_tokens + 1);
    const spaced = JSON.stringify(actions[0].body, null, 1).replace(/\n */g, ' ');
    expect(spaced).toContain('"messages": [ { "role": "user", "content": "Hi" } ]');
    const usual = spaced.replaceAll(/([[{]) | ([\]}])/g, '$1$2');
    expect(usual).toContain('"messages": [{"role": "user", "content": "Hi"}]');
    expect((await gateway.call(CHAT, { key, body: usual })).status).toBe(200);
  });

  test('names what makes it pass at least: the shortest useful answer, if the client set no output limit', async () => {
    const asked = { model: 'plain', messages: MESSAGES };
    const upper = await upperOf(asked);
    const { key } = await withBudget(upper * INPUT);
    const { actions, hint } = await refusalOf(key, asked);
    expect(hint).toBeUndefined();
    const raise = actions.find(({ method }: Answer) => method === 'PATCH');
    expect(raise.body).toEqual({ budgets: { day_ntd: ntd(upper * INPUT + 16n * OUTPUT) } });
    expect(raise.why).toContain('covers this request with 16 output tokens; needs a managing key');
    expect((await perform(raise, account.key)).status).toBe(200);
    expect((await gateway.call(CHAT, { key, body: asked })).status).toBe(200);
  });

  test('names the length of a prompt that fits, if not even the prompt does', async () => {
    const promptOf = (words: number) => ({ ...body, messages: [{ role: 'user', content: 'word '.repeat(words) }] });
    const long = promptOf(2_000);
    const upper = await upperOf(long);
    const { key } = await withBudget((upper * INPUT) / 2n + 16n * OUTPUT);
    const error = await refusalOf(key, long);
    const affordable = upper / 2n;
    expect(error).toMatchObject({ affordable_max_tokens: 0, affordable_input_tokens: Number(affordable) });
    const share = Number((100n * affordable) / upper);
    expect(error.message).toContain(
      `Shorten the prompt to about ${share} % of its length (from at most ${upper} tokens to ${affordable}), raise the budget`,
    );
    expect((await perform(error.actions[0], key)).status).toBe(200);
    let words = 1_000;
    while ((await upperOf(promptOf(words))) > affordable - CHARGED / INPUT) words -= 20;
    expect(words).toBeGreaterThan(900);
    expect((await gateway.call(CHAT, { key, body: promptOf(words) })).status).toBe(200);
  });

  test('names no smaller call where none would help', async () => {
    const { id, key } = await withBudget(0n);
    const error = await refusalOf(key, body);
    expect(pathsOf(error)).toEqual([`/api/keys/${id}`, CHAT, '/api/me']);
    expect(error).toMatchObject({ affordable_max_tokens: 0, left_ntd: 0 });
    expect(error).not.toHaveProperty('affordable_input_tokens');
  });

  test('repeats nothing of the prompt', async () => {
    const { key } = await withBudget(INPUT);
    const secret = 'a-secret-of-the-prompt';
    const error = await refusalOf(key, { ...body, messages: [{ role: 'user', content: secret.repeat(50) }] });
    expect(JSON.stringify(error)).not.toContain(secret);
  });
});

test('a balance that is too low names a smaller call, too', async () => {
  const body = { model: 'dear', max_tokens: 500, messages: MESSAGES };
  const error = await refusalOf(account.key, body);
  expect(error.code).toBe('insufficient_balance');
  expect(error).not.toHaveProperty('budget');
  expect(error.hint).toContain('input tokens at NT$1000 per 1M');
  const [smaller, redeem] = error.actions;
  expect(smaller.body.max_tokens).toBeWithin(1, error.affordable_max_tokens + 1);
  expect((await perform(smaller, account.key)).status).toBe(200);
  expect(new URL(redeem.href).pathname).toBe('/api/redeem');
});

describe('a request with tools of the upstream', () => {
  const SEARCHES = 2n;
  const FEES = SEARCHES * 1_000_000n;
  const searching = (words: number) => ({
    ...{ model: 'searching', max_output_tokens: 16, max_tool_calls: Number(SEARCHES) },
    ...{ input: 'word '.repeat(words), tools: [{ type: 'web_search' }] },
  });

  test('is told what its calls cost apart from its tokens', async () => {
    const upper = await upperOf(searching(1), '/v1/responses');
    const { key } = await withBudget(0n);
    const error = await refusalOf(key, searching(1), '/v1/responses');
    expect(error.message).toContain(
      `NT$${ntd(upper * INPUT)} for up to ${upper} input tokens at NT$10 per 1M and NT$0.002 for calls of tools and NT$${ntd(16n * OUTPUT)} for 16 output tokens`,
    );
  });

  test('is not told to shorten the prompt where the results of its tools alone cost more', async () => {
    const upper = await upperOf(searching(1), '/v1/responses');
    const { id, key } = await withBudget((upper * INPUT) / 2n + FEES);
    const error = await refusalOf(key, searching(200), '/v1/responses');
    expect(error).not.toHaveProperty('affordable_input_tokens');
    expect(error.message).not.toContain('horten the prompt');
    expect(pathsOf(error)).toEqual([`/api/keys/${id}`, '/v1/responses', '/api/me']);
  });

  test('that no budget can cover names no call that raises one', async () => {
    const { key } = await createKey(gateway, account.key, { budgets: { total_ntd: 1 } });
    const error = await refusalOf(key, { ...searching(1), max_tool_calls: 1e15 }, '/v1/responses');
    expect(pathsOf(error)).toEqual(['/v1/responses', '/api/me']);
    expect(error.message).toEndWith('per 1M. Make the request smaller, or use the free model auto:free.');
  });

  test('is covered with a prompt of the length that is named', async () => {
    const half = await upperOf(searching(1_000), '/v1/responses');
    const { key } = await withBudget(half * INPUT + FEES + 16n * OUTPUT);
    const error = await refusalOf(key, searching(2_000), '/v1/responses');
    const share = Number(/about (\d+) %/.exec(error.message)?.[1]);
    expect(share).toBeWithin(30, 51);
    const shorter = searching(Math.floor(20 * share));
    expect((await gateway.call('/v1/responses', { key, body: shorter })).status).toBe(200);
  });
});

describe('budgets of several keys that are too low', () => {
  const body = { model: 'plain', max_tokens: 500, messages: MESSAGES };
  const chainOf = async (top: Record<string, unknown>, low: Record<string, unknown>) => {
    const parent = await createKey(gateway, account.key, { delegate: true, budgets: top });
    const child = await createKey(gateway, account.key, { parent_id: parent.id, budgets: low });
    return { parent, child };
  };
  const raisesOf = ({ actions }: Answer) => actions.filter(({ method }: Answer) => method === 'PATCH');

  test('are raised from the outermost on, and then the call passes', async () => {
    const { parent, child } = await chainOf({ total_ntd: 0.002, day_ntd: 0.002 }, { total_ntd: 0.0005 });
    const error = await refusalOf(child.key, body);
    const raises = raisesOf(error);
    expect(raises.map(({ href }: Answer) => new URL(href).pathname)).toEqual([
      `/api/keys/${parent.id}`,
      `/api/keys/${parent.id}`,
      `/api/keys/${child.id}`,
    ]);
    expect(error.message).toContain(`Raise these budgets in this order: total of ${parent.id} to `);
    expect(raises[0].why).toEndWith('needs a managing key');
    expect(raises[2].why).toEndWith('needs a managing key or a delegating key above it');
    for (const raise of raises) expect((await perform(raise, account.key)).status).toBe(200);
    const answered = await gateway.call(CHAT, { key: child.key, body });
    expect(answered.status).toBe(200);
    expect(answered.headers.has('x-svc-max-tokens')).toBe(false);
  });

  test('name only the one that is too low, which a delegating key above may raise', async () => {
    const { parent, child } = await chainOf({ total_ntd: 1 }, { total_ntd: 0.0005 });
    const [raise, ...others] = raisesOf(await refusalOf(child.key, body));
    expect(others).toEqual([]);
    expect((await perform(raise, parent.key)).status).toBe(200);
    expect((await gateway.call(CHAT, { key: child.key, body })).status).toBe(200);
  });
});

describe('a session budget that is too low', () => {
  const NAMES: [place: string, body: Record<string, unknown>, headers: Record<string, string>][] = [
    ['our header', {}, { 'x-svc-session': 'task-1' }],
    ['the header of a client', {}, { 'x-session-id': 'task-1' }],
    ['the body', { prompt_cache_key: 'task-1' }, {}],
  ];
  test.each(NAMES)('names a smaller call of the same session, by %s', async (_place, fields, headers) => {
    const body = { model: 'plain', max_tokens: 500, messages: MESSAGES, ...fields };
    const upper = await upperOf(body);
    const { key } = await createKey(gateway, account.key, {
      budgets: { session_ntd: ntd(CHARGED + upper * INPUT + 15n * OUTPUT) },
    });
    expect((await gateway.call(CHAT, { key, body: { ...body, max_tokens: 16 }, headers })).status).toBe(200);
    const error = await refusalOf(key, body, CHAT, headers);
    expect(error).toMatchObject({ budget: 'session', spent_nano: CHARGED.toString() });
    const [smaller] = error.actions;
    expect(smaller.headers).toEqual({ 'x-svc-session': 'task-1' });
    expect((await perform(smaller, key)).status).toBe(200);
    expect((await refusalOf(key, body, CHAT, headers)).spent_nano).toBe((2n * CHARGED).toString());
  });

  test('has no header for a name that it cannot carry, and none where no budget counts a session', async () => {
    const body = { model: 'plain', max_tokens: 500, messages: MESSAGES, prompt_cache_key: 'task one' };
    const upper = await upperOf(body);
    const amount = ntd(upper * INPUT + 15n * OUTPUT);
    for (const budgets of [{ session_ntd: amount }, { day_ntd: amount }]) {
      const { key } = await createKey(gateway, account.key, { budgets });
      const { actions } = await refusalOf(key, body);
      for (const action of actions) expect(action).not.toHaveProperty('headers');
    }
  });
});

test('a raise of many millions is a number that JSON keeps exactly, and it works', async () => {
  const body = {
    model: 'odd',
    max_output_tokens: 17,
    max_tool_calls: 1e11,
    input: 'Hi',
    tools: [{ type: 'web_search' }],
  };
  const { id, key } = await createKey(gateway, account.key, { budgets: { total_ntd: 1 } });
  const error = await refusalOf(key, body, '/v1/responses');
  const raise = error.actions.find(({ method }: Answer) => method === 'PATCH');
  expect(raise.body.budgets.total_ntd).toBeGreaterThan(100_000_000);
  expect(raise.why).toContain(`to NT$${raise.body.budgets.total_ntd}, `);
  expect((await perform(raise, account.key)).status).toBe(200);
  const { data } = await gateway.get('/api/keys', account.key);
  const { budgets } = data.find((one: Answer) => one.id === id);
  expect(BigInt(budgets.total_nano) % 1_000_000n).toBe(0n);
  expect((await refusalOf(key, body, '/v1/responses')).code).toBe('insufficient_balance');
});

test('resets_at is that of /api/me, also when the clock has jumped back over midnight', async () => {
  const body = { model: 'plain', max_tokens: 16, messages: MESSAGES };
  const upper = await upperOf(body);
  const amount = ntd(upper * INPUT + 16n * OUTPUT);
  for (const budget of ['day', 'month'] as const) {
    const { key } = await createKey(gateway, account.key, { budgets: { [`${budget}_ntd`]: amount } });
    clock.skip(DAY_MS);
    expect((await gateway.call(CHAT, { key, body })).status).toBe(200);
    clock.skip(-DAY_MS);
    const { resets_at: resetsAt } = (await gateway.get('/api/me', key)).key;
    expect(Date.parse(resetsAt[budget])).toBeGreaterThan(clock.now());
    expect(await refusalOf(key, body)).toMatchObject({ budget, resets_at: resetsAt[budget] });
  }
});
