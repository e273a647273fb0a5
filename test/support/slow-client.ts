// A client that reads only when told to: a bare socket, because a library would read ahead.

import { connect, type Socket } from 'node:net';

export interface SlowClient {
  /** What was read so far, headers and chunk marks included. */
  text(): string;
  pause(): void;
  resume(): void;
  hangUp(): void;
  /** The first bytes have come. */
  begun: Promise<void>;
  closed: Promise<void>;
}

export interface SlowCall {
  port: number;
  path: string;
  key: string;
  /** Without one it is a GET. */
  body?: Record<string, unknown>;
  /** Such as `text/event-stream`. */
  accept?: string;
}

const KEPT_CHARS = 100_000;

/** It reads until it is paused. */
export function startSlowClient({ port, path, key, body, accept = '*/*' }: SlowCall): SlowClient {
  const json = body === undefined ? '' : JSON.stringify(body);
  const decoder = new TextDecoder();
  let text = '';
  const socket: Socket = connect(port, '127.0.0.1', () => {
    const head = [
      `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1`,
      'host: gateway.test',
      `authorization: Bearer ${key}`,
      `accept: ${accept}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(json)}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${json}`);
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const begun = new Promise<void>((resolve) => socket.once('data', () => resolve()));
  socket.on('error', () => socket.destroy());
  socket.on('data', (bytes: Buffer) => {
    text = (text + decoder.decode(bytes, { stream: true })).slice(-KEPT_CHARS);
  });
  return {
    text: () => text,
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    hangUp: () => void socket.destroy(),
    begun,
    closed,
  };
}
