// What a visitor sends counts only if the session is still open when all of it is there, and when its turn comes.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { createKey } from '../support/create-key.ts';
import { dial, type Line } from '../support/dial.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { type SiteClient, signedIn } from './site-client.ts';

const clock = createManualClock();
const FORM = 'application/x-www-form-urlencoded';
let gateway: TestGateway;
let account: TestAccount;
let client: SiteClient;
let line: Line | undefined;

beforeAll(async () => {
  gateway = await startTestGateway({ clock });
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  account = await gateway.register();
  const { key } = await createKey(gateway, account.key, { name: 'visitor', manage: true });
  client = await signedIn(gateway, key);
});
afterEach(() => line?.hangUp());

async function park(path: string, type: string, body: string): Promise<() => Promise<string>> {
  const timers = clock.pending();
  const opened = await dial(gateway.port);
  line = opened;
  const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: 127.0.0.1:${gateway.port}`,
    `origin: ${gateway.url}`,
    'sec-fetch-site: same-origin',
  ];
  const framing = [`cookie: ${cookie}`, `content-type: ${type}`, `content-length: ${body.length}`, 'connection: close'];
  await opened.write(`${[...head, ...framing].join('\r\n')}\r\n\r\n${body.slice(0, 3)}`);
  await eventually('the body to be waited for', () => clock.pending() > timers);
  return async () => {
    await opened.write(body.slice(3));
    return eventually('the whole answer', () => opened.isClosed() && opened.text());
  };
}

const keyOfVisitor = async () => {
  const keys = await gateway.gateway.store.read.keysOf(account.accountId);
  return keys.find(({ name }) => name === 'visitor')?.keyId ?? '';
};
const ends: [how: string, end: () => Promise<unknown>][] = [
  ['the session was ended', () => gateway.gateway.store.commit('closeSessions', { accountId: account.accountId })],
  [
    'its key was deleted',
    async () => gateway.call(`/api/keys/${await keyOfVisitor()}`, { method: 'DELETE', key: account.key }),
  ],
];

const sent: [path: string, type: string, body: string][] = [
  ['/account/play', 'application/json', '{"model":"demo-small","messages":[{"role":"user","content":"Hello"}]}'],
  ['/account/keys', FORM, 'known=2&name=taken&manage=1'],
  ['/account/access', FORM, 'name=taken-over&password=correct+horse+battery'],
];
const cases = ends.flatMap(([how, end]) => sent.map((one) => [how, ...one, end] as const));

test.each(cases)('%s while the body to %s came: nothing is done', async (_how, path, type, body, end) => {
  const finish = await park(path, type, body);
  await end();
  const before = await gateway.gateway.store.read.keysOf(account.accountId);
  expect(await finish()).toStartWith('HTTP/1.1 401');
  expect(await gateway.gateway.store.read.keysOf(account.accountId)).toEqual(before);
  expect(await gateway.gateway.store.read.accountByLogin('taken-over')).toBeUndefined();
  expect((await gateway.get('/api/usage', account.key)).data).toEqual([]);
});

test.each(ends)(
  '%s just before the turn of its form: nothing is done, and the visitor is asked to sign in',
  async (_, end) => {
    const { store } = gateway.gateway;
    const { commit } = store;
    store.commit = async (name, input) => {
      if (name === 'createKey') {
        store.commit = commit;
        await end();
      }
      return commit(name, input);
    };
    const response = await client.post('/account/keys', { known: '2', name: 'taken', manage: '1' });
    expect(response.status).toBe(401);
    expect(await response.text()).toContain('action="/account/sign-in"');
    expect((await store.read.keysOf(account.accountId)).map(({ name }) => name)).not.toContain('taken');
  },
);
