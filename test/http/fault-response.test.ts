// Faults as answers: what is kept ready must say the same as what is written anew.
import { expect, test } from 'bun:test';
import { type Fault, fault } from '../../src/faults/fault.ts';
import { FAULT_CODES } from '../../src/faults/table.ts';
import { type Envelope, writeFault } from '../../src/faults/write.ts';
import { CORS_HEADERS } from '../../src/http/cors.ts';
import { createFaultResponses } from '../../src/http/fault-response.ts';

const PUBLIC_URL = 'http://gateway.example';
const OPENCODE = 'opencode/1.0';

const PATHS = ['/v1/chat/completions', '/api/me'];

async function expectSame(response: Response, named: Fault, asked: Asked, client: string) {
  const { requestId, envelope } = asked;
  const written = writeFault(named, envelope, { publicUrl: PUBLIC_URL, requestId, client });
  expect(response.status).toBe(written.status);
  expect(Object.fromEntries(response.headers)).toEqual({
    'content-type': 'application/json;charset=utf-8',
    ...written.headers,
    'x-request-id': requestId,
    'request-id': requestId,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(asked.path.startsWith('/v1/') ? CORS_HEADERS : {}),
  });
  expect(await response.text()).toBe(JSON.stringify(written.body));
}

interface Asked {
  envelope: Envelope;
  path: string;
  requestId: string;
}

for (const envelope of ['openai', 'anthropic'] as const) {
  test.each(FAULT_CODES)(`%s reads the same for every request (${envelope})`, async (code) => {
    const respond = createFaultResponses(PUBLIC_URL);
    for (const path of PATHS) {
      for (const [requestId, client] of [
        ['req_1', 'curl/8'],
        ['req_2', 'curl/8'],
        ['req_429', OPENCODE],
        ['req_3', 'curl/8'],
      ] as const) {
        const named = fault(code);
        const asked = { envelope, path, requestId };
        await expectSame(respond(named, asked, client), named, asked, client);
      }
    }
  });
}

test('what one case adds is in its own answer and in no other', async () => {
  const respond = createFaultResponses(PUBLIC_URL);
  const plain = fault('rate_limited');
  const told = fault('rate_limited', { figures: { limit: 60, used: 60 }, retryAfterS: 7 });
  for (const [index, named] of [told, plain, told, plain, told].entries()) {
    const asked: Asked = { envelope: 'openai', path: '/v1/chat/completions', requestId: `req_${index}` };
    await expectSame(respond(named, asked, ''), named, asked, '');
  }
});

test('a header that is set on one answer is on no other', () => {
  const respond = createFaultResponses(PUBLIC_URL);
  const ask = () => respond(fault('invalid_api_key'), { envelope: 'openai', path: '/v1', requestId: 'req_1' }, null);
  ask().headers.set('x-of-one', 'yes');
  expect(ask().headers.has('x-of-one')).toBe(false);
});
