// The docs of a server have the numbers of its own configuration, in both languages, in text and in code.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

const LIMITS = {
  free_per_minute: 1_301,
  free_per_day_zero: 1_302,
  free_per_day_positive: 1_303,
  register_per_ip: 1_304,
  register_per_day: 1_305,
  paid_per_minute: 1_306,
  in_flight: 1_307,
};
const GUARDS = {
  free_input_tokens: 51_308,
  free_output_tokens: 1_309,
  free_in_flight: 1_310,
  register_attempts_per_minute: 1_311,
  bad_keys_per_minute: 1_312,
  usage_months: 1_113,
  loss_per_account_day: 1_314,
};

/** Which page has which of them. */
const NUMBERS: Record<string, (keyof typeof LIMITS | keyof typeof GUARDS)[]> = {
  'getting-started': [
    'register_per_ip',
    'register_per_day',
    'free_per_minute',
    'free_per_day_zero',
    'free_per_day_positive',
  ],
  clients: ['register_per_ip', 'free_per_minute', 'free_input_tokens'],
  accounts: ['register_per_ip', 'register_per_day', 'usage_months'],
  limits: [
    ...(Object.keys(LIMITS) as (keyof typeof LIMITS)[]),
    ...(['free_input_tokens', 'free_output_tokens', 'free_in_flight'] as const),
    ...(['register_attempts_per_minute', 'bad_keys_per_minute'] as const),
  ],
  billing: ['loss_per_account_day'],
};
const PAGES = Object.keys(NUMBERS).flatMap((page) => ['en', 'zh-TW'].map((language) => [page, language] as const));

/** Sentences with a default, as they stand in the files. */
const DEFAULTS =
  /\b3 times in|3 次（|註冊 3 次|\b6 (?:in any|requests a)|分鐘內? 6 次|\b[123]00 (?:a day|times per|without)|每天 [123]00 次|64,?000|\b24 (?:months|個月)|NT\$5\b(?!\.)|\| (?:4|32) ?個? \||\b30 in any|內 30 次|paid requests\D+600 in any|付費請求\D+600 次|4,096/;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    document: (standard) => ({ ...standard, limits: LIMITS, guards: GUARDS }),
  });
});
afterAll(() => gateway.stop());

const docs = async (page: string, language: string) => (await gateway.call(`/docs/${page}.md?lang=${language}`)).text();

describe.each(PAGES)('%s in %s', (page, language) => {
  test('has the numbers in force and none of the defaults', async () => {
    const text = await docs(page, language);
    const all: Record<string, number> = { ...LIMITS, ...GUARDS };
    const missing = (NUMBERS[page] ?? []).filter((name) => !text.includes((all[name] ?? 0).toLocaleString('en-US')));
    expect(missing).toEqual([]);
    expect(text).not.toMatch(/<!-- (limits|guards)/);
    expect(DEFAULTS.exec(text)?.[0]).toBeUndefined();
  });
});

test('so does the code, and what follows from a number', async () => {
  const clients = await docs('clients', 'en');
  expect(clients).toContain('CLAUDE_CODE_MAX_CONTEXT_TOKENS=51308\n');
  expect(clients).toContain('model_context_window = 51308\n');
  expect(clients).toContain('"limit": { "context": 51308, "output": 1309 }');
  expect(await docs('limits', 'en')).toContain(': 5,216 and 20,864 in any 24 hours');
});

test('HTML has them too, and a change of the configuration changes them', async () => {
  const html = async () => (await gateway.call('/docs/limits', { headers: { accept: 'text/html' } })).text();
  expect(await html()).toContain('1,301 in any minute');
  await gateway.apply((standard) => ({
    ...standard,
    limits: { ...LIMITS, free_per_minute: 1_401 },
    guards: { ...GUARDS, free_in_flight: null },
  }));
  const changed = await html();
  expect(changed).toContain('1,401 in any minute');
  expect(changed).toContain('<td data-label="limit">∞</td>');
});
