// The contract's table of faults, as facts of this test. A change here is a change for every client.
import { describe, expect, test } from 'bun:test';
import { fault } from '../../src/faults/fault.ts';
import { describedText, FAULT_CODES, type FaultCode, faultRow } from '../../src/faults/table.ts';
import { writeFault } from '../../src/faults/write.ts';

interface Contract {
  code: string;
  status: number;
  openai: string;
  /** Undefined where no such fault arises in the Anthropic dialect. */
  anthropic?: string;
  anthropicStatus?: number;
  shouldRetry?: boolean;
  retryAfter?: true;
}

const INVALID = 'invalid_request_error';
const LIMIT = 'rate_limit_error';
const QUOTA = 'insufficient_quota';

const CONTRACT: readonly Contract[] = [
  { code: 'invalid_request', status: 400, openai: INVALID, anthropic: INVALID },
  { code: 'unsupported_endpoint', status: 400, openai: INVALID, anthropic: INVALID },
  { code: 'context_length_exceeded', status: 400, openai: INVALID, anthropic: INVALID },
  { code: 'previous_response_not_found', status: 400, openai: INVALID, anthropic: INVALID },
  { code: 'invalid_stream_id', status: 400, openai: INVALID, anthropic: INVALID },
  { code: 'websocket_stream_limit_reached', status: 400, openai: INVALID, anthropic: INVALID },
  { code: 'websocket_connection_limit_reached', status: 400, openai: INVALID, anthropic: INVALID },
  { code: 'content_rejected', status: 400, openai: INVALID, anthropic: INVALID },
  { code: 'card_code_malformed', status: 400, openai: INVALID },
  {
    code: 'invalid_api_key',
    status: 401,
    openai: 'authentication_error',
    anthropic: 'authentication_error',
    shouldRetry: false,
  },
  { code: 'insufficient_balance', status: 402, openai: QUOTA, anthropic: 'billing_error', shouldRetry: false },
  { code: 'key_budget_exceeded', status: 402, openai: QUOTA, anthropic: 'billing_error', shouldRetry: false },
  {
    code: 'balance_in_use',
    status: 402,
    openai: QUOTA,
    anthropic: 'billing_error',
    shouldRetry: true,
    retryAfter: true,
  },
  { code: 'model_not_allowed', status: 403, openai: 'permission_error', anthropic: 'permission_error' },
  { code: 'key_not_permitted', status: 403, openai: 'permission_error', anthropic: 'permission_error' },
  { code: 'cross_site_refused', status: 403, openai: 'permission_error', anthropic: 'permission_error' },
  { code: 'model_not_found', status: 404, openai: INVALID, anthropic: 'not_found_error' },
  { code: 'route_not_found', status: 404, openai: INVALID, anthropic: 'not_found_error' },
  { code: 'not_found', status: 404, openai: INVALID, anthropic: 'not_found_error' },
  { code: 'card_not_redeemable', status: 404, openai: INVALID, anthropic: 'not_found_error' },
  { code: 'method_not_allowed', status: 405, openai: INVALID, anthropic: INVALID },
  { code: 'request_timeout', status: 408, openai: INVALID, anthropic: INVALID },
  { code: 'last_key', status: 409, openai: INVALID, shouldRetry: false },
  { code: 'quote_expired', status: 409, openai: INVALID, anthropic: INVALID, shouldRetry: false },
  { code: 'model_retired', status: 410, openai: INVALID, anthropic: 'not_found_error' },
  { code: 'request_too_large', status: 413, openai: INVALID, anthropic: 'request_too_large' },
  { code: 'idempotency_key_reused', status: 422, openai: INVALID },
  { code: 'quote_mismatch', status: 422, openai: INVALID, anthropic: INVALID },
  { code: 'rate_limited', status: 429, openai: LIMIT, anthropic: LIMIT, retryAfter: true },
  { code: 'free_minute_limit', status: 429, openai: LIMIT, anthropic: LIMIT, retryAfter: true },
  { code: 'too_many_in_flight', status: 429, openai: LIMIT, anthropic: LIMIT, retryAfter: true },
  { code: 'auth_rate_limited', status: 429, openai: LIMIT, anthropic: LIMIT, retryAfter: true },
  { code: 'redeem_rate_limited', status: 429, openai: LIMIT, anthropic: LIMIT, retryAfter: true },
  { code: 'free_daily_limit', status: 429, openai: LIMIT, anthropic: LIMIT, shouldRetry: false },
  { code: 'registration_ip_limit', status: 429, openai: LIMIT, shouldRetry: false },
  { code: 'registration_site_limit', status: 429, openai: LIMIT, shouldRetry: false },
  { code: 'internal_error', status: 500, openai: 'server_error', anthropic: 'api_error' },
  { code: 'upstream_failed', status: 502, openai: 'server_error', anthropic: 'api_error', retryAfter: true },
  {
    code: 'unavailable',
    status: 503,
    anthropicStatus: 529,
    openai: 'server_error',
    anthropic: 'overloaded_error',
    retryAfter: true,
  },
  { code: 'loop_detected', status: 508, openai: 'server_error', anthropic: 'api_error', shouldRetry: false },
];

const CONTEXT = { requestId: 'req_test', publicUrl: 'http://gateway.test' };

function codeNamed(name: string) {
  const code = FAULT_CODES.find((one) => one === name);
  if (!code) throw new Error(`the table has no ${name}`);
  return code;
}

test('the table has exactly the codes of the contract', () => {
  expect(FAULT_CODES.toSorted()).toEqual(CONTRACT.map(({ code }) => codeNamed(code)).toSorted());
});

describe.each(CONTRACT)('$code', ({ code, status, openai, anthropic, anthropicStatus, shouldRetry, retryAfter }) => {
  const named = fault(codeNamed(code));

  test('in the OpenAI dialect', () => {
    const written = writeFault(named, 'openai', CONTEXT);
    expect(written.status).toBe(status);
    expect(written.body).toMatchObject({ error: { code, type: openai } });
  });

  test('in the Anthropic dialect', () => {
    const written = writeFault(named, 'anthropic', CONTEXT);
    expect(written.status).toBe(anthropicStatus ?? status);
    const type = anthropic ?? faultRow(named.code).anthropicType;
    expect(written.body).toMatchObject({ type: 'error', error: { code, type } });
  });

  test('Claude Code shows its text, not a hint to log in elsewhere', () => {
    const { body } = writeFault(named, 'anthropic', CONTEXT);
    expect(JSON.stringify(body).toLowerCase()).not.toContain('x-api-key');
  });

  test('its headers', () => {
    for (const envelope of ['openai', 'anthropic'] as const) {
      const { headers } = writeFault(named, envelope, CONTEXT);
      expect(headers['x-should-retry']).toBe(shouldRetry === undefined ? undefined : String(shouldRetry));
      expect('retry-after' in headers).toBe(retryAfter === true);
      expect('www-authenticate' in headers).toBe(status === 401);
    }
  });

  test('a wait is given only where the contract has one, and never above 55 s', () => {
    for (const seconds of [0.1, 30.2, 55, 56, 86_400, Number.POSITIVE_INFINITY]) {
      const { headers } = writeFault(fault(named.code, { retryAfterS: seconds }), 'openai', CONTEXT);
      const told = headers['retry-after'];
      expect(told).toBe(retryAfter ? String(Math.min(55, Math.ceil(seconds))) : undefined);
    }
  });
});

test.each(CONTRACT.filter(({ code, retryAfter }) => retryAfter && code !== 'balance_in_use'))(
  '$code: the text has the seconds of retry-after',
  ({ code }) => {
    const { headers, body } = writeFault(fault(code as FaultCode, { retryAfterS: 31 }), 'openai', CONTEXT);
    expect(headers['retry-after']).toBe('31');
    expect(body).toMatchObject({ error: { message: expect.stringMatching(/in 31 s\b/) } });
  },
);

test('no text of the table asks to wait for a time that it does not name', () => {
  const vague = FAULT_CODES.filter((code) => /moment|shortly|[Ww]ait|later/.test(describedText(faultRow(code))));
  // Those of 402 name the money first.
  expect(vague.filter((code) => faultRow(code).status !== 402)).toEqual([]);
});

test('balance_in_use asks to come back in two seconds', () => {
  expect(writeFault(fault('balance_in_use'), 'openai', CONTEXT).headers['retry-after']).toBe('2');
});

test('a fault that a retry cannot help never invites one', () => {
  for (const code of FAULT_CODES) {
    const { retryable, shouldRetry, retryAfterS } = faultRow(code);
    if (shouldRetry !== undefined) expect(shouldRetry).toBe(retryable);
    if (!retryable) expect(retryAfterS).toBeUndefined();
  }
});
