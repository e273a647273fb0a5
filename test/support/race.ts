// Many calls at the same moment: every racer has its connection before any of them speaks.

import type { Answer } from './answer.ts';
import { rawCall } from './raw-call.ts';

export interface RacingCall {
  port: number;
  path: string;
  body: unknown;
  key?: string;
  headers?: Readonly<Record<string, string>>;
}

export interface Raced {
  status: number;
  json: Answer;
}

const WITHIN_MS = 60_000;
const BUSY = new Set([503, 529]);

/** Who is turned away because the gateway is busy (503, or 529) tries again: only a limit may decide. */
export async function untilHeard<Heard extends { status: number }>(call: () => Promise<Heard>): Promise<Heard> {
  let heard = await call();
  while (BUSY.has(heard.status)) heard = await call();
  return heard;
}

export function race(calls: readonly RacingCall[], onAnswer: (raced: Raced) => void = () => {}): Promise<Raced[]> {
  const arrive = createBarrier(calls.length);
  return Promise.all(
    calls.map(async ({ port, ...call }) => {
      const raced = await untilHeard(() => rawCall(port, requestOf(call), WITHIN_MS, arrive));
      onAnswer(raced);
      return raced;
    }),
  );
}

export function countOf(raced: readonly Raced[], status: number, code?: string): number {
  return raced.filter((one) => one.status === status && (code === undefined || one.json?.error?.code === code)).length;
}

function createBarrier(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let arrived = 0;
  return () => {
    if (++arrived === count) resolve();
    return promise;
  };
}

function requestOf({ path, body, key, headers = {} }: Omit<RacingCall, 'port'>): string {
  const text = JSON.stringify(body);
  const lines = [
    `POST ${path} HTTP/1.1`,
    'host: gateway',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
    ...(key === undefined ? [] : [`authorization: Bearer ${key}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${text}`;
}
