// One connection of the load: sends the same request repeatedly, one at a time, and checks each answer.

import { comparable } from './answers.ts';
import { createAnswerReader } from './http-answer.ts';
import type { Call } from './messages.ts';

export interface Timed {
  ms: number;
  /** Time to first token of a stream; NaN if there was none. */
  firstMs: number;
}

export interface LoadConnection {
  /** Sends the request; resolves when its answer is complete and correct. */
  ask(): Promise<Timed>;
  /** Resolves at the first token of the request sent by `ask`. */
  firstToken(): Promise<void>;
  close(): void;
}

/** A token of the scripted streams begins with a space, in either dialect; the empty first content does not. */
const TOKENS = ['"content":" ', '"text":" '];

export async function openConnection(call: Call, key: string | undefined, check: Check): Promise<LoadConnection> {
  const request = writeRequest(call, key);
  const isStream = call.body.includes('"stream":true');
  const reader = createAnswerReader();
  let waiting: PromiseWithResolvers<Timed> | undefined;
  let begun = Promise.withResolvers<void>();
  let sentAt = 0;
  let firstMs = Number.NaN;
  let unsent: Buffer | undefined;

  function fail(error: unknown): void {
    waiting?.reject(error instanceof Error ? error : new Error(String(error)));
    begun.promise.catch(() => undefined);
    begun.reject(error);
    waiting = undefined;
  }

  function receive(piece: Buffer): void {
    if (!waiting) {
      fail('an answer that nobody asked for');
      return;
    }
    if (isStream && Number.isNaN(firstMs) && TOKENS.some((token) => piece.includes(token))) {
      firstMs = performance.now() - sentAt;
      begun.resolve();
    }
    try {
      const answer = reader.add(piece);
      if (!answer) return;
      const ms = performance.now() - sentAt;
      check(answer);
      reader.clear();
      const { resolve } = waiting;
      waiting = undefined;
      resolve({ ms, firstMs });
    } catch (error) {
      fail(error);
    }
  }

  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: call.port,
    socket: {
      binaryType: 'buffer',
      open: (opened) => void opened.setNoDelay(true),
      data: (_, piece) => receive(piece),
      drain: () => send(),
      close: () => fail('the connection was closed before the answer was whole'),
      error: (_, error) => fail(error),
    },
  });

  function send(): void {
    if (!unsent) return;
    const sent = socket.write(unsent);
    unsent = sent < unsent.length ? unsent.subarray(Math.max(sent, 0)) : undefined;
  }

  return {
    ask() {
      waiting = Promise.withResolvers();
      if (isStream) begun = Promise.withResolvers();
      firstMs = Number.NaN;
      unsent = request;
      sentAt = performance.now();
      send();
      return waiting.promise;
    },
    firstToken: () => begun.promise,
    close() {
      waiting = undefined;
      socket.end();
    },
  };
}

function writeRequest({ port, path, headers, body }: Call, key: string | undefined): Buffer {
  const all = {
    host: `127.0.0.1:${port}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

export type Check = (answer: { status: number; body: Buffer }) => void;

/** Compares every answer with the expected one, byte by byte; a cached copy of the last correct one makes that cheap. */
export function createCheck({ status, body: expected, ending }: Call['expect']): Check {
  let right: Buffer | undefined;
  return (answer) => {
    if (answer.status === status && right?.equals(answer.body)) return;
    const text = answer.body.toString();
    if (answer.status !== status) throw new Error(`status ${answer.status}, not ${status}: ${text.slice(0, 300)}`);
    if (expected !== undefined) compareBytes(comparable(text), expected);
    if (ending !== undefined && !text.endsWith(ending))
      throw new Error(`an answer without its end: ${text.slice(-300)}`);
    right = Buffer.from(answer.body);
  };
}

function compareBytes(found: string, expected: string): void {
  if (found === expected) return;
  let at = 0;
  while (found[at] === expected[at]) at++;
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 40), at + 60));
  throw new Error(`other bytes than the upstream sent: ${around(found)} for ${around(expected)}`);
}
