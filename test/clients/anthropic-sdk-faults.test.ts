// Faults as the official Anthropic SDK throws them.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import Anthropic, {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from '@anthropic-ai/sdk';
import { messageError } from '../support/anthropic-messages.ts';
import { type ClientGateway, KINDS_FOR, startClientGateway } from '../support/client-gateway.ts';
import { failure } from '../support/conversations.ts';
import { createKey } from '../support/create-key.ts';
import { eventually } from '../support/eventually.ts';

let gateway: ClientGateway;
let client: Anthropic;

beforeAll(async () => {
  gateway = await startClientGateway({ limits: {} });
  client = sdk(gateway.key);
});
beforeEach(() => gateway.upstream.reset());
afterAll(() => gateway.stop());

const sdk = (authToken: string, options = {}) =>
  new Anthropic({ authToken, apiKey: null, baseURL: gateway.url, maxRetries: 0, ...options });
const body = { model: 'on-anthropic', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hi' }] };
/** The envelope of this API, as the SDK keeps it. */
const envelope = (type: string, rest = {}) => ({ error: { type: 'error', error: { type, ...rest } } });

describe('errors are of the SDK’s own kinds', () => {
  test('401 is AuthenticationError', async () => {
    const error = await failure(sdk('sk-svc-not-a-key').messages.create(body));
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ status: 401, type: 'authentication_error', ...envelope('authentication_error') });
    expect((error as APIError).requestID).toMatch(/^req_/);
    expect((error as APIError).message).toContain('Send a valid key');
  });

  test('400 is BadRequestError, with its param', async () => {
    const error = await failure(client.messages.create({ ...body, messages: [] }));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject(envelope('invalid_request_error', { code: 'invalid_request', param: 'messages' }));
  });

  test('402 is an APIError with the figures', async () => {
    const error = await failure(client.messages.create({ ...body, model: 'dear' }));
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({
      status: 402,
      ...envelope('billing_error', { code: 'insufficient_balance', available_ntd: expect.any(Number) }),
    });
    expect((error as APIError).message).toContain('Redeem a prepaid card');
  });

  test('403 is PermissionDeniedError', async () => {
    const limited = await createKey(gateway, gateway.key, { models: ['demo-small'] });
    const error = await failure(sdk(limited.key).messages.create(body));
    expect(error).toBeInstanceOf(PermissionDeniedError);
    expect(error).toMatchObject(envelope('permission_error', { code: 'model_not_allowed' }));
  });

  test('404 is NotFoundError', async () => {
    const calls = [() => client.models.retrieve('nope'), () => client.messages.create({ ...body, model: 'nope' })];
    for (const call of calls) {
      const error = await failure(call());
      expect(error).toBeInstanceOf(NotFoundError);
      expect(error).toMatchObject(envelope('not_found_error', { code: 'model_not_found' }));
    }
  });

  test('429 is RateLimitError', async () => {
    const other = sdk((await gateway.register()).key, { defaultHeaders: { 'x-svc-no-wait': '1' } });
    const ask = () => other.messages.create({ ...body, model: 'auto:free' });
    for (let i = 0; i < 6; i++) await ask();
    const error = await failure(ask());
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject(envelope('rate_limit_error', { code: 'free_minute_limit' }));
  });

  test('502 is InternalServerError', async () => {
    gateway.upstream.otherwise(messageError(500, { type: 'api_error', message: 'no' }));
    const error = await failure(client.messages.create(body));
    expect(error).toBeInstanceOf(InternalServerError);
    expect(error).toMatchObject({ status: 502, ...envelope('api_error', { code: 'upstream_failed' }) });
  });
});

test.each([
  ['401', 'sk-svc-not-a-key', 'on-anthropic'],
  ['402', undefined, 'dear'],
])('the SDK does not repeat a %s, which a repeat cannot mend', async (status, given, model) => {
  let calls = 0;
  const counting: typeof fetch = Object.assign((...args: Parameters<typeof fetch>) => {
    calls++;
    return fetch(...args);
  }, fetch);
  const retrying = sdk(given ?? gateway.key, { maxRetries: 3, fetch: counting });
  expect(await failure(retrying.messages.create({ ...body, model }))).toMatchObject({ status: Number(status) });
  expect(calls).toBe(1);
});

describe.each([...KINDS_FOR.messages])('a stream on a channel of the kind $kind', ({ model }) => {
  const open = (how: string) =>
    how === 'by hand'
      ? client.messages.create({ ...body, model, stream: true })
      : Promise.resolve(client.messages.stream({ ...body, model }));

  test.each(['by hand', 'by the helper'])('that is left ends the call, %s', async (how) => {
    gateway.stall();
    for await (const event of await open(how)) if (event.type === 'content_block_delta') break;
    const seen = await gateway.upstream.request(0);
    await eventually('the upstream to be left', () => seen.abortedAt);
  });

  test.each(['by hand', 'by the helper'])('that fails midway throws after what came before, %s', async (how) => {
    const breakOff = gateway.breakOff();
    let text = '';
    const read = async () => {
      for await (const event of await open(how)) {
        if (event.type !== 'content_block_delta' || event.delta.type !== 'text_delta') continue;
        text += event.delta.text;
        breakOff();
      }
    };
    const error = await failure(read());
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject(envelope('api_error', { code: 'upstream_failed' }));
    expect(text).toBe('Hello');
  });
});
