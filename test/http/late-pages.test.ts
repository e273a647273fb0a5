// Pages are loaded when the first is asked for, and routes of the API do not wait for them.

import { expect, test } from 'bun:test';
import { type AddPages, createApp } from '../../src/http/app.ts';
import { NO_CONNECTION } from '../../src/kit/connection.ts';

function appWith(loadPages: () => Promise<AddPages>) {
  const tools = {
    newId: () => 'req_1',
    publicUrl: 'http://gateway.example',
    countFault: () => {},
    recordRefusal: () => {},
    log: () => {},
    isReady: () => true,
    authenticator: { authenticate: () => undefined },
    catalog: () => ({ guards: { bad_keys_per_minute: null } }),
  };
  const app = createApp(tools as never, loadPages);
  return async (path: string, method = 'GET') => {
    const response = await app.fetch(new Request(`http://gateway.example${path}`, { method }), NO_CONNECTION);
    return { status: response.status, text: await response.text() };
  };
}

const PAGES: AddPages = (pages) => void pages.get('/page', () => new Response('a page'));

test.each([
  ['GET', '/v1/models/one', 401],
  ['HEAD', '/v1/models', 401],
  ['DELETE', '/api/keys/key_1', 401],
  ['OPTIONS', '/v1/chat/completions', 204],
])('%s %s is answered without them', async (method, path, status) => {
  let loads = 0;
  const ask = appWith(async () => {
    loads++;
    return PAGES;
  });
  expect(await ask(path, method)).toMatchObject({ status });
  expect(loads).toBe(0);
});

test('they are loaded once, for all who ask meanwhile', async () => {
  let loads = 0;
  const ask = appWith(async () => {
    loads++;
    return PAGES;
  });
  const answers = await Promise.all([ask('/page'), ask('/page'), ask('/nowhere')]);
  expect(answers).toMatchObject([{ status: 200, text: 'a page' }, { status: 200 }, { status: 404 }]);
  expect((await ask('/v1/chat/completions')).status).toBe(405);
  expect(loads).toBe(1);
});

test('what could not be loaded is loaded by the next who asks', async () => {
  const loads: AddPages[] = [];
  const ask = appWith(async () => {
    if (loads.push(PAGES) === 1) throw new Error('no file is open any more');
    return PAGES;
  });
  expect((await ask('/page')).status).toBe(500);
  expect(await ask('/page')).toEqual({ status: 200, text: 'a page' });
});
