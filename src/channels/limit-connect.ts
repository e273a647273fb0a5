// A limit on reaching an upstream at all. `fetch` has none of its own, so a host that swallows packets would cost a call
// its whole first-token limit. While nothing was heard of the upstream lately, a bare connection is made beside the call,
// and if that does not come about in time, neither will the call.

import { connect as connectSocket } from 'node:net';
import type { Clock } from '../kit/clock.ts';
import type { Fetch } from './upstream.ts';

/** Resolves when a connection was made or refused: either way somebody is there. */
export type Connect = (host: string, port: number, signal: AbortSignal) => Promise<void>;

export interface ConnectLimit {
  clock: Clock;
  connect: Connect;
  connectMs: number;
}

const HEARD_OF_MS = 30_000;

export class Unreachable extends Error {
  override name = 'Unreachable';
}

export function limitConnect(fetch: Fetch, { clock, connect, connectMs }: ConnectLimit): Fetch {
  let heardAt = Number.NEGATIVE_INFINITY;
  const heard = (response: Response) => {
    heardAt = clock.monotonic();
    return response;
  };
  async function reach(url: string, init: RequestInit): Promise<Response> {
    const call = new AbortController();
    const signal = init.signal ? AbortSignal.any([init.signal, call.signal]) : call.signal;
    const probe = new AbortController();
    const { hostname, port, protocol } = new URL(url);
    const cancel = clock.after(connectMs, () => call.abort(new Unreachable(`no connection within ${connectMs} ms`)));
    connect(hostname, Number(port) || (protocol === 'https:' ? 443 : 80), probe.signal).then(cancel, cancel);
    try {
      return heard(await fetch(url, { ...init, signal }));
    } finally {
      cancel();
      probe.abort();
    }
  }

  return (url, init) => (clock.monotonic() - heardAt < HEARD_OF_MS ? fetch(url, init).then(heard) : reach(url, init));
}

export const connectTcp: Connect = (host, port, signal) =>
  new Promise((resolve) => {
    const socket = connectSocket({ host: host.replace(/^\[|\]$/g, ''), port });
    const end = () => {
      socket.destroy();
      resolve();
    };
    socket.once('connect', end);
    socket.once('error', end);
    signal.addEventListener('abort', end, { once: true });
  });
