import { describe, expect, test } from 'bun:test';
import { Fault, fault, toFault } from '../../src/faults/fault.ts';
import { REDEEM, SHOW_ME } from '../../src/faults/table.ts';
import { faultBody, writeFault } from '../../src/faults/write.ts';

const CONTEXT = { requestId: 'req_test', publicUrl: 'http://gateway.test' };

const errorOf = (body: Record<string, unknown>) => body.error as Record<string, unknown>;

describe('the OpenAI envelope', () => {
  test('is an error with message, type, param and code, and what helps beside them', () => {
    expect(
      faultBody(
        fault('insufficient_balance', {
          hint: 'NT$1 is available.',
          actions: [REDEEM, SHOW_ME],
          figures: { needed_ntd: 2, needed_nano: '2' },
        }),
        'openai',
        CONTEXT,
      ),
    ).toEqual({
      error: {
        message: expect.stringContaining('Redeem a prepaid card'),
        type: 'insufficient_quota',
        param: null,
        code: 'insufficient_balance',
        hint: 'NT$1 is available.',
        actions: [
          {
            method: 'POST',
            href: 'http://gateway.test/api/redeem',
            body: { code: 'PC-…' },
            why: expect.any(String),
          },
          {
            method: 'GET',
            href: 'http://gateway.test/api/me',
            why: expect.any(String),
          },
        ],
        docs_url: 'http://gateway.test/docs/errors#insufficient_balance',
        needed_ntd: 2,
        needed_nano: '2',
        request_id: 'req_test',
      },
    });
  });

  test('has nothing beside them where nothing applies', () => {
    expect(faultBody(fault('not_found'), 'openai', CONTEXT)).toEqual({
      error: {
        message: expect.any(String),
        type: 'invalid_request_error',
        param: null,
        code: 'not_found',
        docs_url: 'http://gateway.test/docs/errors#not_found',
        request_id: 'req_test',
      },
    });
  });
});

describe('the Anthropic envelope', () => {
  test('is an error by type and message, the request id outside of it', () => {
    expect(faultBody(fault('invalid_request', { param: 'max_tokens' }), 'anthropic', CONTEXT)).toEqual({
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: expect.any(String),
        code: 'invalid_request',
        param: 'max_tokens',
        docs_url: 'http://gateway.test/docs/errors#invalid_request',
      },
      request_id: 'req_test',
    });
  });

  test('omits a parameter that was not set', () => {
    expect(errorOf(faultBody(fault('invalid_request'), 'anthropic', CONTEXT))).not.toHaveProperty('param');
  });
});

describe('what a fault carries', () => {
  test('a message of its own replaces the text of the table', () => {
    const body = faultBody(fault('invalid_request', { message: 'Set n to 1.', param: 'n' }), 'openai', CONTEXT);
    expect(errorOf(body)).toMatchObject({ message: 'Set n to 1.', param: 'n' });
  });

  test('its own actions come before those of the table', () => {
    const own = { method: 'GET', path: '/v1/models/x', why: 'see it' } as const;
    const body = faultBody(fault('model_not_found', { actions: [own] }), 'openai', CONTEXT);
    expect(errorOf(body).actions).toEqual([
      { method: 'GET', href: 'http://gateway.test/v1/models/x', why: 'see it' },
      { method: 'GET', href: 'http://gateway.test/v1/models', why: expect.any(String) },
    ]);
  });

  test('further headers are sent along', () => {
    const { headers } = writeFault(fault('method_not_allowed', { headers: { allow: 'GET' } }), 'openai', CONTEXT);
    expect(headers).toEqual({ allow: 'GET' });
  });

  test('internal detail never reaches a client', () => {
    const secret = fault('internal_error', { internal: 'SECRET-DETAIL' });
    for (const envelope of ['openai', 'anthropic'] as const) {
      expect(JSON.stringify(writeFault(secret, envelope, CONTEXT))).not.toContain('SECRET-DETAIL');
    }
  });

  test('a wait is given in whole seconds, at least one', () => {
    const told = (retryAfterS: number) =>
      writeFault(fault('unavailable', { retryAfterS }), 'openai', CONTEXT).headers['retry-after'];
    expect([-5, 0, 0.2, 1.5, 54.5, 1e9].map(told)).toEqual(['1', '1', '1', '2', '55', '55']);
    expect(told(Number.NaN)).toBe('5');
  });
});

describe('toFault', () => {
  test('keeps a fault as it is', () => {
    const thrown = fault('last_key');
    expect(toFault(thrown)).toBe(thrown);
  });

  test('turns anything else into an internal error without detail', () => {
    for (const thrown of [new Error('SECRET-DETAIL'), 'SECRET-DETAIL', undefined, null]) {
      const made = toFault(thrown);
      expect(made).toBeInstanceOf(Fault);
      expect(made.code).toBe('internal_error');
      expect(JSON.stringify(writeFault(made, 'openai', CONTEXT))).not.toContain('SECRET-DETAIL');
    }
  });
});

describe('a client that takes every number for a status', () => {
  const CLIENT = { ...CONTEXT, requestId: 'req_1504', client: 'opencode/1.18.33 ai-sdk/provider-utils/4.0.23' };
  const figures = { needed_nano: '1500000000', available_nano: '4290', affordable_max_tokens: 12 };
  const broke = fault('insufficient_balance', { figures, actions: [REDEEM] });

  test.each(['openai', 'anthropic'] as const)('gets a final fault without them, in the %s envelope', (envelope) => {
    const { body } = writeFault(broke, envelope, CLIENT);
    expect(JSON.stringify(body)).not.toMatch(/429|500|502|503|504|524/);
    expect(errorOf(body)).toMatchObject({
      code: 'insufficient_balance',
      message: expect.stringContaining('Redeem a prepaid card'),
      actions: expect.any(Array),
      affordable_max_tokens: 12,
    });
  });

  test('always gets a message: that of the table, if the own one has a number', () => {
    const told = (named: Fault) => errorOf(writeFault(named, 'openai', CLIENT).body).message;
    const much = fault('invalid_request', { message: 'n is too large: at most 1500 are accepted.', param: 'n' });
    expect(told(much)).toBe('The request is not valid. Correct it and send it again.');
    const long = fault('context_length_exceeded', { message: 'Shorten it: prompt is too long: 1900 tokens > 1500.' });
    expect(told(long)).toContain('prompt is too long');
    expect(told(fault('invalid_request', { message: 'Set n to 1.' }))).toBe('Set n to 1.');
  });

  test('gets everything where a repeat may help, as others always do', () => {
    const passing = fault('balance_in_use', { figures });
    expect(errorOf(writeFault(passing, 'openai', CLIENT).body)).toMatchObject({ ...figures, request_id: 'req_1504' });
    expect(errorOf(writeFault(broke, 'openai', CONTEXT).body)).toMatchObject(figures);
  });
});
