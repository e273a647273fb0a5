// Clients that call through the load balancer while nodes come and go. Nothing is tried again, except a turn on a WebSocket
// that was closed or refused before the turn began: its client has to open another one.

import { type KeptConnection, openKeptConnection } from '../support/kept-connection.ts';
import { openSocket, type SocketClient } from '../support/response-socket.ts';
import { parseSse, usageOf } from '../support/sse.ts';
import { nanoOf, register } from '../torture/calls.ts';
import type { Account, Facts } from '../torture/facts.ts';

export type RollingKind =
  | 'json'
  | 'kept-alive json'
  | 'idle json'
  | 'short stream'
  | 'second stream'
  | 'long stream'
  | 'turn';

/** A call that got no complete answer. */
export interface Failure {
  kind: RollingKind;
  requestId: string | undefined;
  beganAt: number;
  endedAt: number;
  why: string;
}

export interface Load {
  /** Complete answers by kind. */
  completed: Map<RollingKind, number>;
  failures: Failure[];
  /** How many complete calls had begun and not ended at that time. */
  completedAcross(at: number): number;
  /** Turns that were sent again on another WebSocket. */
  reopened: number;
  /** Resolves when the calls that run have ended. */
  stop(): Promise<void>;
}

const CLIENTS: Readonly<Record<RollingKind, number>> = {
  json: 2,
  'kept-alive json': 2,
  'idle json': 6,
  'short stream': 2,
  'second stream': 3,
  'long stream': 1,
  turn: 2,
};
const MODELS: Partial<Record<RollingKind, string>> = { 'second stream': 'second', 'long stream': 'long' };
/** Between two calls of a client: the proof needs calls at every moment, not a busy machine. */
const PAUSE_MS = 20;
/** Longer than the notice of a drain: the connection says nothing from before the notice until after it. */
const IDLE_PAUSE_MS = 4_000;
/** After a failed one: as long as no node serves, each fails at once. */
const FAILED_PAUSE_MS = 200;
const CALL_MS = 60_000;
/** The trial credit of an account pays for more. */
const CALLS_PER_ACCOUNT = 200;

class CallFailed extends Error {
  constructor(
    readonly requestId: string | undefined,
    why: string,
  ) {
    super(why);
  }
}

/** `without`: kinds that are left out. */
export function startLoad(url: string, facts: Facts, without: readonly RollingKind[]): Load {
  let isOver = false;
  const spans: { beganAt: number; endedAt: number }[] = [];
  const load: Load = {
    completed: new Map(),
    failures: [],
    completedAcross: (at) => spans.filter(({ beganAt, endedAt }) => beganAt < at && endedAt > at).length,
    reopened: 0,
    async stop() {
      isOver = true;
      await Promise.all(clients);
    },
  };

  /** False if it failed. */
  async function attempt(kind: RollingKind, act: () => Promise<void>): Promise<boolean> {
    const beganAt = performance.now();
    let pauseMs = kind === 'idle json' ? IDLE_PAUSE_MS : PAUSE_MS;
    try {
      await act();
      spans.push({ beganAt, endedAt: performance.now() });
      return true;
    } catch (error) {
      pauseMs = FAILED_PAUSE_MS;
      const requestId = error instanceof CallFailed ? error.requestId : undefined;
      load.failures.push({ kind, requestId, beganAt, endedAt: performance.now(), why: String(error) });
      return false;
    } finally {
      await Bun.sleep(pauseMs);
    }
  }

  async function run(kind: RollingKind): Promise<void> {
    let ask: (() => Promise<void>) | undefined;
    for (let calls = 0; !isOver; calls++) {
      if (!ask || calls % CALLS_PER_ACCOUNT === 0) {
        await attempt(kind, async () => {
          const account = await register({ url, facts });
          if (kind === 'turn') ask = turnsOf(url, account, facts, load);
          else if (kind === 'idle json') ask = callsOnIdle(url, account, facts);
          else ask = callsOf(kind, url, account, facts);
        });
      } else if (await attempt(kind, ask)) load.completed.set(kind, (load.completed.get(kind) ?? 0) + 1);
    }
  }

  const clients = Object.entries(CLIENTS).flatMap(([name, count]) => {
    const kind = name as RollingKind;
    return without.includes(kind) ? [] : Array.from({ length: count }, () => run(kind));
  });
  return load;
}

function bodyOf(account: Account, more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    model: 'paid',
    max_tokens: 1_000,
    messages: [{ role: 'user', content: `${account.accountId} says hello` }],
    ...more,
  });
}

function callsOf(kind: RollingKind, url: string, account: Account, facts: Facts): () => Promise<void> {
  const isStream = kind.endsWith('stream');
  const body = bodyOf(account, {
    model: MODELS[kind] ?? 'paid',
    ...(isStream ? { stream: true, stream_options: { include_usage: true } } : {}),
  });
  return async () => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${account.key}` },
      body,
      keepalive: kind === 'kept-alive json',
      signal: AbortSignal.timeout(CALL_MS),
    });
    const requestId = response.headers.get('x-request-id') ?? undefined;
    const text = await response.text().catch((error: unknown) => {
      throw new CallFailed(requestId, String(error));
    });
    if (response.status !== 200) throw new CallFailed(requestId, `${response.status}: ${text}`);
    const cost = isStream
      ? text.includes('[DONE]') && usageOf(parseSse(text))?.cost_nano
      : nanoOf(response.headers.get('x-svc-cost-ntd') ?? '');
    if (!requestId || !cost) throw new CallFailed(requestId, `incomplete: ${text.slice(-200)}`);
    facts.requests.push({ requestId, accountId: account.accountId, cost: BigInt(cost) });
  };
}

/** One connection that is idle between the calls, as in the pool of an SDK with little to do. */
function callsOnIdle(url: string, account: Account, facts: Facts): () => Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${account.key}` };
  let connection: KeptConnection | undefined;
  return async () => {
    if (!connection?.isOpen()) connection = await openKeptConnection(url);
    const answer = await connection.post('/v1/chat/completions', headers, bodyOf(account));
    const requestId = answer.headers['x-request-id'];
    if (answer.headers.connection === 'close') connection.close();
    if (answer.status !== 200) throw new CallFailed(requestId, `${answer.status}: ${JSON.stringify(answer.json)}`);
    const cost = nanoOf(answer.headers['x-svc-cost-ntd'] ?? '');
    if (!requestId || !cost) throw new CallFailed(requestId, 'incomplete');
    facts.requests.push({ requestId, accountId: account.accountId, cost });
  };
}

/** One WebSocket for many turns, as clients use it. */
function turnsOf(url: string, account: Account, facts: Facts, load: Load): () => Promise<void> {
  let client: SocketClient | undefined;
  return async () => {
    for (;;) {
      client ??= await openSocket(url, account.key);
      const { messages, socket, closed } = client;
      const first = messages.length;
      if (socket.readyState === WebSocket.OPEN) {
        const asked = client.ask({ model: 'paid', input: `${account.accountId} says hello`, max_output_tokens: 100 });
        const end = await Promise.race([asked, closed.then(() => undefined)]);
        const events = messages.slice(first);
        const { svc, response } = events.find(({ type }) => type === 'response.completed') ?? {};
        if (response) {
          facts.requests.push({
            requestId: svc.request_id,
            accountId: account.accountId,
            cost: BigInt(response.usage.cost_nano),
          });
          return;
        }
        const hasBegun = events.some(({ type }) => type === 'response.created');
        if (hasBegun) {
          client = undefined;
          throw new CallFailed(events[0]?.svc?.request_id, `a turn that had begun ended with ${JSON.stringify(end)}`);
        }
        asked.catch(() => {});
      }
      client = undefined;
      load.reopened++;
    }
  };
}
