// A limit on reaching an upstream at all. `fetch` has none of its own, so a host that swallows packets would cost a call
// its whole first-token limit, and so would one that takes a connection and never says a word of TLS. While nothing was
// heard of the upstream lately, a bare connection is made beside the call, and if that does not come about in time, neither
// will the call.

import type { Socket } from 'node:net';
import type { Clock } from '../kit/clock.ts';
import { codeOf } from '../kit/error-code.ts';
import type { Fetch } from './upstream.ts';

export interface Place {
  host: string;
  port: number;
  /** With TLS on it. */
  isSecure: boolean;
}

/** Resolves when a connection was made, with true, or refused: either way somebody is there. */
export type Connect = (place: Place, signal: AbortSignal) => Promise<boolean>;

export interface ConnectLimit {
  clock: Clock;
  connect: Connect;
  connectMs: number;
}

const HEARD_OF_MS = 30_000;

export class Unreachable extends Error {
  override name = 'Unreachable';
}

/** As Bun and the system name it when there never was a connection. */
const NO_CONNECTION: ReadonlySet<string | undefined> = new Set([
  'ConnectionRefused',
  'FailedToOpenSocket',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
]);

/** The upstream was not reached, so the time until the error says nothing of its silence. */
export function hasNoConnection(error: unknown): boolean {
  return error instanceof Unreachable || NO_CONNECTION.has(codeOf(error));
}

export function limitConnect(fetch: Fetch, { clock, connect, connectMs }: ConnectLimit): Fetch {
  let heardAt = Number.NEGATIVE_INFINITY;
  const hear = () => {
    heardAt = clock.monotonic();
  };
  const heard = (response: Response) => {
    hear();
    return response;
  };
  async function reach(url: string, init: RequestInit): Promise<Response> {
    const call = new AbortController();
    const signal = init.signal ? AbortSignal.any([init.signal, call.signal]) : call.signal;
    const probe = new AbortController();
    const cancel = clock.after(connectMs, () => call.abort(new Unreachable(`no connection within ${connectMs} ms`)));
    const found = (isMade: boolean) => {
      cancel();
      // So that many calls whose answers take long do not each make one more. Who refuses now may swallow packets next.
      if (isMade && !probe.signal.aborted) hear();
    };
    connect(placeOf(url), probe.signal).then(found, cancel);
    try {
      return heard(await fetch(url, { ...init, signal }));
    } finally {
      cancel();
      probe.abort();
    }
  }

  return (url, init) => (clock.monotonic() - heardAt < HEARD_OF_MS ? fetch(url, init).then(heard) : reach(url, init));
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

/** Loaded for the first call and not before: no small part of the memory of a start. */
async function loadOpen({ isSecure }: Place): Promise<(place: Place) => Socket> {
  const { connect, isIP } = await import('node:net');
  if (!isSecure) return connect;
  const { connect: connectSecurely } = await import('node:tls');
  return ({ host, port }) => {
    const name = isIP(host) === 0 ? { servername: host } : {};
    // Nothing is sent on it, so it need not be known whose certificate it is: the call itself will ask.
    return connectSecurely({ host, port, ...name, rejectUnauthorized: false });
  };
}
