// The load of the soak: every kind of client, in turn, by a few workers at once, until the round is over.

import { createSiteClient, type SiteClient } from '../site/site-client.ts';
import type { Answer } from '../support/answer.ts';
import { openSocket } from '../support/response-socket.ts';

export interface Place {
  url: string;
  adminUrl: string;
  adminToken: string;
  /** Where webhooks are sent. */
  receiverUrl: string;
  /** Applies another catalog. */
  reload(): Promise<void>;
}

export interface Round {
  /** Milliseconds of each paid call that is no stream. */
  times: number[];
  /** Actions by name. */
  done: Map<string, number>;
  /** Answers that no client should have got. */
  wrong: string[];
}

interface Customer {
  key: string;
  /** A child key with budgets. */
  child: string;
}

const WORKERS = 8;
const KEPT_CUSTOMERS = 24;
const LIVE_MS = 150;
const MESSAGES = [{ role: 'user', content: 'Hi' }];
const SITE_PAGES = ['/', '/pricing', '/status', '/account', '/account/usage', '/account/keys', '/account/statements'];
const CONSOLE_PAGES = ['/', '/accounts', '/cards', '/channels', '/models', '/ledger', '/alarms', '/actions'];
/** No connection outlives its call, so that a descriptor that stays is a leak. */
const CLOSE = { connection: 'close' };

export function createLoad(place: Place) {
  const customers: Customer[] = [];
  let turn = 0;
  let round: Round;
  let operator: SiteClient;

  const pick = (): Customer => customers[turn % customers.length] as Customer;
  /** Every client has another address: limits by address count many of them. */
  const address = () => ({ 'x-forwarded-for': `10.${turn % 200}.${(turn >> 4) % 250}.${turn % 250}` });

  async function call(path: string, key: string | undefined, body?: unknown, init: RequestInit = {}) {
    const credentials = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const headers = { 'content-type': 'application/json', ...CLOSE, ...credentials, ...address(), ...init.headers };
    return fetch(place.url + path, { ...init, ...sent, headers });
  }

  /** Reads the answer to its end. */
  async function expect(response: Response, ...statuses: number[]): Promise<string> {
    const text = await response.text();
    if (!statuses.includes(response.status)) {
      round.wrong.push(`${new URL(response.url).pathname}: ${response.status} ${text.slice(0, 200)}`);
    }
    return text;
  }

  async function post(path: string, key: string | undefined, body: unknown, headers = {}): Promise<Answer> {
    return JSON.parse(await expect(await call(path, key, body, { headers }), 200, 201));
  }

  const chat = (key: string, rest: object, init?: RequestInit) =>
    call('/v1/chat/completions', key, { model: 'paid', messages: MESSAGES, ...rest }, init);

  async function hangUp(): Promise<void> {
    const leave = new AbortController();
    const response = await chat(pick().key, { stream: true }, { signal: leave.signal });
    await response.body?.getReader().read();
    leave.abort();
  }

  async function live(): Promise<void> {
    const leave = new AbortController();
    const headers = { accept: 'text/event-stream' };
    await call('/api/events', pick().key, undefined, { headers, signal: leave.signal });
    await Bun.sleep(LIVE_MS);
    leave.abort();
  }

  async function socket(): Promise<void> {
    const client = await openSocket(place.url, pick().key);
    for (const input of ['Hi', 'And now?']) await client.ask({ model: 'paid', input });
    client.socket.close();
    await client.closed;
  }

  async function visitSite(): Promise<void> {
    const client = createSiteClient(place, 'en', { ...CLOSE, ...address() });
    await expect(await client.post('/account/sign-in', { key: pick().key }), 303);
    for (const path of SITE_PAGES) await expect(await client.get(path), 200);
    await expect(await client.post('/account/sign-out'), 303);
  }

  async function visitConsole(): Promise<void> {
    for (const path of CONSOLE_PAGES) await expect(await operator.get(path), 200);
  }

  async function issueCard(): Promise<string> {
    const response = await fetch(`${place.adminUrl}/api/admin/cards`, {
      method: 'POST',
      headers: { authorization: `Bearer ${place.adminToken}`, ...CLOSE },
      body: JSON.stringify({ amount_ntd: 100, count: 1 }),
    });
    const { cards }: Answer = JSON.parse(await expect(response, 201));
    return cards[0].code;
  }

  async function register(): Promise<void> {
    const once = { 'idempotency-key': `soak-${turn}-${crypto.randomUUID()}` };
    const { api_key: key } = await post('/api/agent/register', undefined, {}, once);
    await post('/api/redeem', key, { code: await issueCard() });
    const budgets = { day_ntd: 1, session_ntd: 0.01 };
    await post('/api/webhooks', key, { url: place.receiverUrl });
    const team = await post('/api/keys', key, { name: 'team', delegate: true, budgets }, once);
    const child = await post('/api/keys', team.api_key, { name: 'agent', budgets: { day_ntd: 0.1 } });
    customers.push({ key, child: child.api_key });
    if (customers.length > KEPT_CUSTOMERS) customers.shift();
  }

  async function beRefused(): Promise<void> {
    await expect(await chat(pick().key, { model: 'no-such-model' }), 404);
    await expect(await chat(`sk-svc-${'x'.repeat(40)}`, {}), 401, 429);
  }

  /** Chats through key budgets and session budgets, which are reached at times. */
  async function spendBudget(): Promise<void> {
    const headers = { 'x-svc-session': `task-${turn % 500}` };
    await expect(await chat(pick().child, {}, { headers }), 200, 402, 429, 502);
  }

  async function timedCall(): Promise<void> {
    const startedAt = performance.now();
    await expect(await chat(pick().key, {}), 200, 502);
    round.times.push(performance.now() - startedAt);
  }

  const messages = { model: 'paid', max_tokens: 64, messages: MESSAGES, stream: true };
  const ACTIONS: readonly (readonly [name: string, share: number, act: () => Promise<unknown>])[] = [
    ['JSON', 12, timedCall],
    ['stream', 6, async () => expect(await chat(pick().key, { stream: true }), 200, 502)],
    ['hang-up', 3, hangUp],
    ['budget', 6, spendBudget],
    ['translated', 3, async () => expect(await call('/v1/messages', pick().key, messages), 200, 502)],
    ['free', 2, async () => expect(await chat(pick().key, { model: 'auto:free' }), 200, 429)],
    ['socket', 2, socket],
    ['live events', 2, live],
    ['refused', 2, beRefused],
    ['registration', 1, register],
    ['site', 1, visitSite],
    ['console', 1, visitConsole],
    ['reload', 0.1, place.reload],
  ];
  const due = new Map<string, number>();

  /** The action that is furthest behind its share. */
  function next(): (typeof ACTIONS)[number] {
    const behind = (one: (typeof ACTIONS)[number]) => due.get(one[0]) ?? 0.5 / one[1];
    const chosen = ACTIONS.reduce((first, one) => (behind(one) < behind(first) ? one : first));
    due.set(chosen[0], behind(chosen) + 1 / chosen[1]);
    return chosen;
  }

  async function work(until: number): Promise<void> {
    while (performance.now() < until) {
      turn++;
      const [name, , act] = next();
      try {
        await act();
      } catch (error) {
        round.wrong.push(`${name}: ${error}`);
      }
      round.done.set(name, (round.done.get(name) ?? 0) + 1);
    }
  }

  return async (forMs: number): Promise<Round> => {
    round = { times: [], done: new Map(), wrong: [] };
    operator = createSiteClient({ url: place.adminUrl }, 'en', CLOSE);
    await expect(await operator.post('/sign-in', { token: place.adminToken }), 303);
    while (customers.length < 3) await register();
    const until = performance.now() + forMs;
    await Promise.all(Array.from({ length: WORKERS }, () => work(until)));
    return round;
  };
}
