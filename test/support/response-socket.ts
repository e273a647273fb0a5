// A client of GET /v1/responses: a plain WebSocket that keeps every message it got.

import type { Answer } from './answer.ts';
import { eventually } from './eventually.ts';

export interface SocketClient {
  socket: WebSocket;
  /** Everything so far, parsed. */
  messages: Answer[];
  /** Sends a `response.create` with these fields; text as it is. */
  send(message: Record<string, unknown> | string | Uint8Array<ArrayBuffer>): void;
  /** The first message that satisfies the condition. */
  find(what: string, isIt: (message: Answer) => boolean): Promise<Answer>;
  /** Sends it and waits for its last event, or for its refusal. */
  ask(fields: Record<string, unknown>): Promise<Answer>;
  closed: Promise<{ code: number; reason: string }>;
}

const ENDS = ['response.completed', 'response.incomplete', 'response.failed', 'error'];

export const isEnd = ({ type }: Answer) => ENDS.includes(type);

/** Rejects if the server does not take the handshake. */
export async function openSocket(
  url: string,
  key: string | undefined,
  { headers = {}, protocols }: { headers?: Record<string, string>; protocols?: string[] } = {},
): Promise<SocketClient> {
  const options: Bun.WebSocketOptions = {
    headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers },
    ...(protocols ? { protocols } : {}),
  };
  // Options of Bun, which the declared web types do not have.
  const socket: WebSocket = Reflect.construct(WebSocket, [`${url.replace('http', 'ws')}/v1/responses`, options]);
  const messages: Answer[] = [];
  const opened = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<{ code: number; reason: string }>();
  socket.onopen = () => opened.resolve();
  socket.onmessage = ({ data }) => messages.push(JSON.parse(String(data)));
  socket.onerror = () => opened.reject(new Error('the handshake was refused'));
  socket.onclose = ({ code, reason }) => {
    opened.reject(new Error(`closed: ${code} ${reason}`));
    closed.resolve({ code, reason });
  };
  await opened.promise;

  const send: SocketClient['send'] = (message) =>
    socket.send(
      typeof message === 'string' || message instanceof Uint8Array
        ? message
        : JSON.stringify({ type: 'response.create', ...message }),
    );
  const find: SocketClient['find'] = (what, isIt) => eventually(what, () => messages.find(isIt));
  return {
    socket,
    messages,
    send,
    find,
    closed: closed.promise,
    async ask(fields) {
      const before = messages.length;
      send(fields);
      return eventually('the end of the answer', () => messages.slice(before).find(isEnd));
    },
  };
}

/** The text that an answer's last event has. */
export function textOf({ response }: Answer): string {
  return response.output.flatMap(({ content = [] }: Answer) => content.map(({ text }: Answer) => text)).join('');
}
