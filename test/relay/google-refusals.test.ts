// Google's refusals: a key of ours that it does not take is a bad request to it, the time to wait stands in the details,
// and a prompt too long is told only in words.

import { describe, expect, test } from 'bun:test';
import { readFailure } from '../../src/channels/read-failure.ts';
import { classifyFailure } from '../../src/relay/classify-failure.ts';

const TYPE = 'type.googleapis.com/google.rpc';
const BAD_KEY = [{ '@type': `${TYPE}.ErrorInfo`, reason: 'API_KEY_INVALID', domain: 'googleapis.com' }];

function classify(code: number, error: Record<string, unknown>, wrap = (body: unknown): unknown => body) {
  const response = { status: code, headers: new Headers() };
  return classifyFailure(readFailure(response, JSON.stringify(wrap({ error: { code, ...error } })), { hidden: [] }));
}

describe('our own problem', () => {
  test('a key that is not valid', () => {
    const error = { message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' };
    expect(classify(400, { ...error, details: BAD_KEY }).outcome).toBe('refused_our_key');
    expect(classify(400, { ...error, details: BAD_KEY }, (body) => [body]).outcome).toBe('refused_our_key');
    expect(classify(400, error).outcome).toBe('exhausted');
  });

  test.each([
    ['API key expired. Please renew the API key.', 'INVALID_ARGUMENT'],
    ['User location is not supported for the API use.', 'FAILED_PRECONDITION'],
  ])('%s', (message, status) => {
    const { outcome, refusal } = classify(400, { message, status });
    expect(outcome).toBe('exhausted');
    expect(refusal).toBeUndefined();
  });

  test.each([
    'Invalid value at \'contents[0]\': "API key not valid. API_KEY_INVALID"',
    'Unknown name "User location is not supported for the API use."',
  ])('not so if a caller is quoted: %s', (message) => {
    const details = [{ '@type': `${TYPE}.BadRequest`, fieldViolations: [{ description: 'API_KEY_INVALID' }] }];
    const { outcome, refusal } = classify(400, { message, status: 'INVALID_ARGUMENT', details });
    expect(outcome).toBe('request_refused');
    expect(refusal?.code).toBe('invalid_request');
  });
});

describe('too many requests', () => {
  const message = 'You exceeded your current quota. Please retry in 47.434392449s.';
  const wait = (retryDelay: unknown) => {
    const details = [{ '@type': `${TYPE}.Help` }, { '@type': `${TYPE}.RetryInfo`, retryDelay }];
    return classify(429, { message, status: 'RESOURCE_EXHAUSTED', details });
  };

  test('the details say how long to wait', () => {
    expect(wait('47.434392449s')).toMatchObject({ outcome: 'rate_limited', retryAfterS: 47.434392449 });
    expect(wait('38s').retryAfterS).toBe(38);
  });

  test.each(['-3s', '1e9s', 'soon', 7, '99999999s'])('%j is no time', (given) => {
    expect(wait(given)).toMatchObject({ outcome: 'rate_limited', retryAfterS: undefined });
  });
});

test.each([
  'The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).',
  'The input token count exceeds the maximum number of tokens allowed 1048576.',
  'Input request contains (35490) tokens, which is more than the max tokens limit allowed: (30720)',
])('too long: %s', (message) => {
  expect(classify(400, { message, status: 'INVALID_ARGUMENT' }).isTooLong).toBe(true);
});

test.each([
  [403, 'PERMISSION_DENIED', 'refused_our_key'],
  [404, 'NOT_FOUND', 'route_missing'],
  [500, 'INTERNAL', 'upstream_error'],
  [503, 'UNAVAILABLE', 'upstream_error'],
  [504, 'DEADLINE_EXCEEDED', 'upstream_error'],
] as const)('%d %s is %s', (code, status, outcome) => {
  expect(classify(code, { message: 'no', status }).outcome).toBe(outcome);
});
