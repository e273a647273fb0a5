// S5: text that would be SQL, a path, a template or a header, in every header, parameter and field of every route, on
// both databases. Nothing happens, nothing breaks, and no row more than expected is there afterwards. `npm test` sends each
// text in a sixth of the places, another sixth in each run; `npm run test:long` in all of them.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createKey } from '../support/create-key.ts';
import { eventually } from '../support/eventually.ts';
import type { TestAccount, TestGateway } from '../support/gateway.ts';
import { IS_LONG_RUN, RUN_SEED } from '../support/long-run.ts';
import { sharePostgres, type TestDatabase, type TestDatabases } from '../support/postgres.ts';
import { untilHeard } from '../support/race.ts';
import { LISTED_ROUTES, type ListedRoute, pathOf } from './route-list.ts';
import { startSecure } from './start-secure.ts';

const INJECTIONS = [
  "' OR '1'='1",
  "'; DROP TABLE keys; --",
  '"; DELETE FROM entries; --',
  "') UNION SELECT hash, last4 FROM keys --",
  "\\'; SELECT pg_sleep(5); --",
  '$1; ROLLBACK',
  '?1',
  '%',
  '_',
  '%_%\\',
  '\u0000',
  'a\u0000b',
  '\r\nset-cookie: a=b',
  '../../../etc/passwd',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template that nobody may fill in
  '${7*7}{{7*7}}<%= 7*7 %>',
  '<script>alert(1)</script>',
  '$(touch pwned)`id`',
  '\u202e\u2028\ufeff\ud800',
  '__proto__',
  '9'.repeat(400),
];

/** Each by itself: they may end a call before anything else is read. */
const DECISIVE = ['x-api-key', 'idempotency-key', 'content-type', 'origin'];
const OTHERS = [
  'x-forwarded-for',
  'x-session-id',
  'session-id',
  'x-svc-loop',
  'x-svc-strict',
  'x-svc-no-wait',
  'anthropic-version',
  'anthropic-beta',
  'if-none-match',
  'accept',
  'user-agent',
  'cookie',
  'x-request-id',
];

type Rows = Record<string, number>;
/** Entries that only an operator, a card or a registration makes. */
const GIVEN = `entries WHERE kind NOT IN ('usage', 'write_off')`;
const TABLES = ['accounts', 'keys', 'wallets', 'cards', 'revisions', 'holds', GIVEN];
const AT_ONCE = 12;
const SHARE = IS_LONG_RUN ? 1 : 6;

/** What a header may hold; the rest no client can send. */
const asHeader = (text: string) =>
  Buffer.from(text.replace(/\p{Cc}/gu, ' '))
    .toString('latin1')
    .trim();

interface Bench {
  gateway: TestGateway;
  count(): Promise<Rows>;
  audit(): Promise<unknown>;
}

function check(start: () => Promise<Bench>) {
  let bench: Bench;
  let account: TestAccount;
  let other: TestAccount;
  /** Replaced as it is rotated or deleted. */
  let keyId: string;
  const bad: string[] = [];

  beforeAll(async () => {
    bench = await start();
    account = await bench.gateway.register();
    other = await bench.gateway.register();
    keyId = (await createKey(bench.gateway, account.key)).id;
  });
  afterAll(() => bench.gateway.stop());

  const send = async (
    what: string,
    route: ListedRoute,
    { path = pathOf(route, keyId), query = '', headers = {}, body = route.body as unknown } = {},
  ) => {
    const response = await untilHeard(() =>
      bench.gateway.call(path + query, {
        method: route.method,
        ...(route.auth === 'key' ? { key: account.key } : {}),
        headers,
        ...(route.method === 'GET' || body === undefined ? {} : { body }),
      }),
    );
    const text = await response.text();
    if (response.status >= 500) bad.push(`${what}: ${response.status} ${text}`);
    if (response.headers.has('set-cookie')) bad.push(`${what}: set a cookie`);
    if (/syntax error|sqlite|postgres|SQLSTATE|near "/i.test(text)) bad.push(`${what}: ${text}`);
    const made = route.path === '/api/agent/register' ? 'accounts' : route.path === '/api/keys' ? 'keys' : undefined;
    return response.status === 201 && made && !response.headers.has('idempotency-hit') ? made : undefined;
  };

  const variants = (route: ListedRoute, text: string): Parameters<typeof send>[2][] => {
    const encoded = encodeURIComponent(text.toWellFormed());
    const fields = Object.keys(route.body ?? {});
    const header = asHeader(text);
    return [
      ...DECISIVE.map((name) => ({ headers: { [name]: header } })),
      { headers: Object.fromEntries(OTHERS.map((name) => [name, header])) },
      { query: `?${[...(route.query ?? []), 'x'].map((name) => `${name}=${encoded}`).join('&')}` },
      ...(route.query ?? []).map((name) => ({ query: `?${name}=${encoded}` })),
      ...(route.path.includes(':id') ? [{ path: pathOf(route, encoded) }] : []),
      ...fields.flatMap((field) =>
        [text, [text], { [text]: text }].map((value) => ({ body: { ...route.body, [field]: value } })),
      ),
      ...(route.body ? [{ body: { ...route.body, [text]: text } }] : []),
    ];
  };

  const everyCall = async () => {
    const made: Rows = {};
    const calls = LISTED_ROUTES.filter(({ method }) => method !== 'DELETE').flatMap((route) =>
      INJECTIONS.flatMap((text, shift) =>
        variants(route, text)
          .filter((_, place) => (place + shift + RUN_SEED) % SHARE === 0)
          .map((variant) => ({ route, variant })),
      ),
    );
    const runner = async () => {
      for (let next = calls.pop(); next; next = calls.pop()) {
        const { route, variant } = next;
        const table = await send(`${route.method} ${route.path} ${JSON.stringify(variant)}`, route, variant);
        if (table) made[table] = (made[table] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, runner));
    return made;
  };

  test('S5 does nothing anywhere', async () => {
    const before = await bench.count();
    const made = await everyCall();
    expect(bad).toEqual([]);
    await eventually('every call to be closed', async () => (await bench.count()).holds === 0);
    const after = await bench.count();
    const accounts = (before.accounts ?? 0) + (made.accounts ?? 0);
    expect(after).toMatchObject({
      accounts,
      wallets: accounts,
      keys: (before.keys ?? 0) + (made.accounts ?? 0) + (made.keys ?? 0),
      cards: 0,
      revisions: before.revisions ?? 0,
      [GIVEN]: accounts,
    });
    expect(await bench.audit()).toEqual([]);
    expect((await bench.gateway.get('/api/me', other.key)).balance_nano).toBe('1000000000');
    expect((await bench.gateway.get('/api/usage', other.key)).data).toEqual([]);
  });
}

describe('S5 on SQLite', () => {
  check(async () => {
    const gateway = await startSecure();
    const count = (table: string) => Number(gateway.sql<{ n: bigint }>(`SELECT count(*) AS n FROM ${table}`)[0]?.n);
    return {
      gateway,
      count: async () => Object.fromEntries(TABLES.map((table) => [table, count(table)])),
      audit: async () => gateway.audit(),
    };
  });
});

describe('S5 on PostgreSQL', () => {
  let server: TestDatabases;
  let database: TestDatabase;
  beforeAll(async () => {
    server = await sharePostgres();
    database = await server.createDatabase();
  });
  afterAll(() => server.stop());

  check(async () => {
    const gateway = await startSecure({
      env: { DATABASE_URL: database.url, SECRETS_PEPPER: 'a pepper for this test' },
    });
    const count = async (table: string) => Number((await database.sql(`SELECT count(*) AS n FROM ${table}`))[0]?.n);
    return {
      gateway,
      count: async () =>
        Object.fromEntries(await Promise.all(TABLES.map(async (table) => [table, await count(table)]))),
      audit: async () => (await gateway.gateway.store.read.audit({})).differences,
    };
  });
});
