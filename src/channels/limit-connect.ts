// A connect timeout. `fetch` has none, so a host that drops packets, or that accepts connections and never answers TLS,
// would cost a call its whole first-token timeout. If there was no recent response from the host, a second connection
// is opened beside the call; if it is not ready in time, the call fails.

import type { Socket } from 'node:net';
import type { Clock } from '../kit/clock.ts';
import { codeOf } from '../kit/error-code.ts';
import type { Fetch } from './upstream.ts';

export interface Place {
  host: string;
  port: number;
  /** With TLS. */
  isSecure: boolean;
}

/** Resolves with true when connected, with false when refused: either way the host is reachable. */
export type Connect = (place: Place, signal: AbortSignal) => Promise<boolean>;

interface ConnectLimit {
  clock: Clock;
  connect: Connect;
  connectMs: number;
}

const REACHABLE_MS = 30_000;

export class Unreachable extends Error {
  override name = 'Unreachable';
}

/** Error codes of Bun and the system for a missing connection. */
const NO_CONNECTION: ReadonlySet<string | undefined> = new Set([
  'ConnectionRefused',
  'FailedToOpenSocket',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EMFILE',
  'ENFILE',
]);

/** The upstream was not reached, so the time until the error is not its response time. */
export function hasNoConnection(error: unknown): boolean {
  return error instanceof Unreachable || NO_CONNECTION.has(codeOf(error));
}

export function limitConnect(fetch: Fetch, { clock, connect, connectMs }: ConnectLimit): Fetch {
  /** By origin: a channel may have a host for access tokens beside that of its API. */
  const lastResponseAt = new Map<string, number>();
  const noteResponse = (origin: string) => void lastResponseAt.set(origin, clock.monotonic());

  async function reach(url: string, init: RequestInit, origin: string): Promise<Response> {
    const call = new AbortController();
    const signal = init.signal ? AbortSignal.any([init.signal, call.signal]) : call.signal;
    const probe = new AbortController();
    const cancel = clock.after(connectMs, () => call.abort(new Unreachable(`no connection within ${connectMs} ms`)));
    const found = (isMade: boolean) => {
      cancel();
      // Many slow calls then share one probe. A host that refuses now may drop packets next, so only a connection
      // counts.
      if (isMade && !probe.signal.aborted) noteResponse(origin);
    };
    connect(placeOf(url), probe.signal).then(found, cancel);
    try {
      return await fetch(url, { ...init, signal });
    } finally {
      cancel();
      probe.abort();
    }
  }

  return async (url, init) => {
    const origin = originOf(url);
    const isKnown = clock.monotonic() - (lastResponseAt.get(origin) ?? Number.NEGATIVE_INFINITY) < REACHABLE_MS;
    const response = await (isKnown ? fetch(url, init) : reach(url, init, origin));
    noteResponse(origin);
    return response;
  };
}

/** Without a parser: it is on the path of every call. */
function originOf(url: string): string {
  const end = url.indexOf('/', url.indexOf('//') + 2);
  return end === -1 ? url : url.slice(0, end);
}

function placeOf(url: string): Place {
  const { hostname, port, protocol } = new URL(url);
  const isSecure = protocol === 'https:';
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (isSecure ? 443 : 80), isSecure };
}

export const connectBare: Connect = async (place, signal) => {
  const open = await loadOpen(place);
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(false);
    const socket = open(place);
    const end = (isMade: boolean) => {
      socket.destroy();
      resolve(isMade);
    };
    const fail = () => end(false);
    socket.once(place.isSecure ? 'secureConnect' : 'connect', () => end(true));
    for (const event of ['error', 'end', 'close']) socket.once(event, fail);
    signal.addEventListener('abort', fail, { once: true });
  });
};

/** Loaded with the first call: it is expensive in memory at start. */
async function loadOpen({ isSecure }: Place): Promise<(place: Place) => Socket> {
  const { connect, isIP } = await import('node:net');
  if (!isSecure) return connect;
  const { connect: connectSecurely } = await import('node:tls');
  return ({ host, port }) => {
    const name = isIP(host) === 0 ? { servername: host } : {};
    // Nothing is sent on it, so the certificate need not be verified: the call itself does that.
    return connectSecurely({ host, port, ...name, rejectUnauthorized: false });
  };
}
