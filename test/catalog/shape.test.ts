// Every field by itself: each fault is told at its exact path.
import { describe, expect, test } from 'bun:test';
import { faultPaths, faultsOf, plainDocument } from '../support/plain-document.ts';

type Path = readonly (string | number)[];

function spoilt(path: Path, value: unknown): string {
  const document = plainDocument();
  let at: Record<string | number, unknown> = document;
  for (const part of path.slice(0, -1)) {
    if (typeof at[part] !== 'object') at[part] = {};
    at = at[part] as Record<string | number, unknown>;
  }
  const last = path.at(-1) ?? '';
  if (value === undefined) delete at[last];
  else at[last] = value;
  return JSON.stringify(document);
}

test('the document that these tests spoil is valid', () => {
  expect(faultsOf(JSON.stringify(plainDocument()))).toEqual([]);
});

describe('unknown fields', () => {
  test.each([
    ['model', ['modles'], 'modles'],
    ['of a channel', ['channels', 1, 'base-url'], 'channels[1].base-url'],
    ['of timeouts', ['channels', 0, 'timeouts', 'idle'], 'channels[0].timeouts.idle'],
    ['of a model', ['models', 0, 'max_tokens'], 'models[0].max_tokens'],
    ['of a price', ['models', 1, 'price', 'ouput'], 'models[1].price.ouput'],
    ['of a route', ['models', 0, 'routes', 0, 'weigth'], 'models[0].routes[0].weigth'],
    ['of the limits', ['limits', 'free_per_hour'], 'limits.free_per_hour'],
    ['of the guards', ['guards', 'free_tokens'], 'guards.free_tokens'],
  ] as [string, Path, string][])('%s', (_, path, told) => {
    expect(faultsOf(spoilt(path, 1))).toEqual([`${told}: unknown field`]);
  });

  test('are all told, not only the first', () => {
    const document = { ...plainDocument(), a: 1, b: 2 };
    expect(faultPaths(JSON.stringify(document))).toEqual(['a', 'b']);
  });

  test('__proto__ is one of them', () => {
    const text = JSON.stringify(plainDocument()).replace('{', '{"__proto__":{"limits":{}},');
    expect(faultPaths(text)).toEqual(['__proto__']);
  });
});

describe('names', () => {
  const channelName = ['channels', 0, 'name'];
  test.each(['', 'Demo', 'a b', '-a', '.a', 'a/b', 'ä', `a${'b'.repeat(63)}`, 5, null])(
    'a channel is not called %j',
    (name) => {
      expect(faultPaths(spoilt(channelName, name))).toContain('channels[0].name');
    },
  );

  test('a channel is not called gateway: that is the name where no upstream was asked', () => {
    expect(faultsOf(spoilt(channelName, 'gateway'))).toContain('channels[0].name: "gateway" is reserved');
  });

  const ids = ['', 'GPT-5', 'a b', '-a', ':free', 'a:', 'a:b:c', 'a:B', 'openai/gpt-5', 'ä', 'a'.repeat(101), 7, null];
  test.each(ids)('a model has no id %j', (id) => {
    expect(faultPaths(spoilt(['models', 1, 'id'], id))).toEqual(['models[1].id']);
  });
  test.each(ids)('nor an alias %j', (id) => {
    expect(faultPaths(spoilt(['models', 1, 'aliases'], ['fine', id]))).toEqual(['models[1].aliases[1]']);
  });

  test.each(['a', '0', 'gpt-5-mini', 'other:free', 'a.b_c-d:e-f', 'gemini-2.5-pro', 'a'.repeat(100)])(
    'a model may have the id %s',
    (id) => expect(faultsOf(spoilt(['models', 1, 'id'], id))).toEqual([]),
  );
});

describe('values', () => {
  test.each([
    [['models'], [], 'models'],
    [['models'], 'all', 'models'],
    [['channels', 1, 'kind'], 'provider', 'channels[1].kind'],
    [['channels', 0, 'kind'], undefined, 'channels[0].kind'],
    [['channels', 1, 'base_url'], 'api.example.com', 'channels[1].base_url'],
    [['channels', 1, 'base_url'], 'ftp://example.com', 'channels[1].base_url'],
    [['channels', 1, 'base_url'], 'http://', 'channels[1].base_url'],
    [['channels', 1, 'anthropic_base_url'], 'nowhere', 'channels[1].anthropic_base_url'],
    [['channels', 1, 'endpoints'], [], 'channels[1].endpoints'],
    [['channels', 1, 'endpoints'], ['chat', 'audio'], 'channels[1].endpoints[1]'],
    [['channels', 1, 'api_key'], '', 'channels[1].api_key'],
    [['channels', 1, 'api_key'], 12, 'channels[1].api_key'],
    [['channels', 1, 'quirks'], 'none', 'channels[1].quirks'],
    [['channels', 1, 'mid_system'], 'user', 'channels[1].mid_system'],
    [['channels', 1, 'prefill'], 'yes', 'channels[1].prefill'],
    [['channels', 1, 'drain_on_abort'], 1, 'channels[1].drain_on_abort'],
    [['channels', 1, 'timeouts', 'idle_ms'], 0, 'channels[1].timeouts.idle_ms'],
    [['channels', 1, 'timeouts', 'idle_ms'], 1.5, 'channels[1].timeouts.idle_ms'],
    [['channels', 1, 'timeouts', 'total_ms'], 99_999_999, 'channels[1].timeouts.total_ms'],
    [['channels', 1, 'timeouts', 'connect_ms'], '2s', 'channels[1].timeouts.connect_ms'],
    [['models', 1, 'name'], '', 'models[1].name'],
    [['models', 1, 'kinds'], [], 'models[1].kinds'],
    [['models', 1, 'kinds'], ['chat', 'video'], 'models[1].kinds[1]'],
    [['models', 1, 'context_tokens'], 0, 'models[1].context_tokens'],
    [['models', 1, 'max_output_tokens'], -1, 'models[1].max_output_tokens'],
    [['models', 1, 'routes'], [], 'models[1].routes'],
    [['models', 1, 'routes'], undefined, 'models[1].routes'],
    [['models', 1, 'routes', 0, 'model'], '', 'models[1].routes[0].model'],
    [['models', 1, 'routes', 0, 'priority'], 0, 'models[1].routes[0].priority'],
    [['models', 1, 'routes', 0, 'weight'], 0.5, 'models[1].routes[0].weight'],
    [['models', 1, 'routes', 0, 'first_token_ms'], 0, 'models[1].routes[0].first_token_ms'],
    [['models', 1, 'fallbacks'], 'paid', 'models[1].fallbacks'],
    [['models', 1, 'hedge'], 'soon', 'models[1].hedge'],
    [['models', 1, 'hedge'], 0, 'models[1].hedge'],
    [['limits', 'in_flight'], -1, 'limits.in_flight'],
    [['limits', 'free_per_minute'], '6', 'limits.free_per_minute'],
    [['limits'], [], 'limits'],
    [['guards', 'free_in_flight'], 0, 'guards.free_in_flight'],
    [['guards', 'loss_per_account_day'], -1, 'guards.loss_per_account_day'],
    [['guards', 'loss_per_account_day'], 0.0001, 'guards.loss_per_account_day'],
    [['guards', 'loss_per_account_day'], 'five', 'guards.loss_per_account_day'],
    [['guards', 'loss_per_account_day'], 1_000_001, 'guards.loss_per_account_day'],
  ] as [Path, unknown, string][])('%j = %j is told at %s', (path, value, told) => {
    expect(faultPaths(spoilt(path, value))).toEqual([told]);
  });

  test.each([
    [['channels'], undefined, 'channels'],
    [['channels'], {}, 'channels'],
    [['channels', 1], null, 'channels[1]'],
  ] as [Path, unknown, string][])(
    '%j = %j is told at %s, before the routes that then lead nowhere',
    (path, value, told) => {
      const [first, ...rest] = faultPaths(spoilt(path, value));
      expect(first).toBe(told);
      for (const other of rest) expect(other).toEndWith('.channel');
    },
  );

  test.each([
    [['channels'], {}, 'channels: must be a list'],
    [['channels', 1], 5, 'channels[1]: must be a table of fields'],
    [
      ['channels', 1, 'kind'],
      'provider',
      'channels[1].kind: must be one of openai, anthropic, gemini, bedrock, vertex, azure, demo',
    ],
    [
      ['channels', 0, 'kind'],
      undefined,
      'channels[0].kind: must be one of openai, anthropic, gemini, bedrock, vertex, azure, demo',
    ],
    [['channels', 1, 'base_url'], 5, 'channels[1].base_url: must be an http or https URL'],
    [['channels', 1, 'endpoints'], [], 'channels[1].endpoints: must not be an empty list'],
    [['channels', 1, 'api_key'], '', 'channels[1].api_key: must not be empty'],
    [['channels', 1, 'api_key'], 5, 'channels[1].api_key: must be a text'],
    [['channels', 1, 'prefill'], 'yes', 'channels[1].prefill: must be true or false'],
    [['channels', 1, 'timeouts', 'idle_ms'], 0, 'channels[1].timeouts.idle_ms: must be at least 1'],
    [['channels', 1, 'timeouts', 'idle_ms'], 1.5, 'channels[1].timeouts.idle_ms: must be a whole number'],
    [['channels', 1, 'timeouts', 'total_ms'], 99_999_999, 'channels[1].timeouts.total_ms: must be at most 1200000'],
    [['models', 1, 'name'], 'n'.repeat(101), 'models[1].name: must have at most 100 characters'],
    [['models', 1, 'price'], undefined, 'models[1].price: must be "free" or a table of prices (input, output, …)'],
    [['limits', 'in_flight'], -1, 'limits.in_flight: must be at least 0'],
    [['limits', 'free_per_minute'], '6', 'limits.free_per_minute: must be a number'],
  ] as [Path, unknown, string][])('%j = %j: what must be there is said in our words', (path, value, told) => {
    expect(faultsOf(spoilt(path, value))[0]).toBe(told);
  });

  test.each([
    [['channels', 0, 'name'], 'Bad Name', 'only a-z, 0-9, ".", "_" and "-"'],
    [['models', 1, 'id'], 'Bad Name', 'only a-z, 0-9, ".", "_" and "-"'],
  ] as [Path, unknown, string][])('%j = %j: the characters that may be there are said', (path, value, told) => {
    expect(faultsOf(spoilt(path, value))[0]).toContain(told);
  });

  test('a limit of zero closes something and is allowed', () => {
    expect(faultsOf(spoilt(['limits', 'register_per_day'], 0))).toEqual([]);
  });
});
