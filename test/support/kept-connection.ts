// A client connection that stays open between requests, as in the pool of an SDK or of a load balancer.

import { connect, type Socket } from 'node:net';
import { type RawAnswer, readRaw, splitRaw } from './raw-call.ts';

export interface KeptConnection {
  get(path: string): Promise<RawAnswer>;
  post(path: string, headers: Readonly<Record<string, string>>, body: string): Promise<RawAnswer>;
  isOpen(): boolean;
  /** Resolves when the server has closed it. */
  closed: Promise<void>;
  close(): void;
}

export function openKeptConnection(url: string): Promise<KeptConnection> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(keptConnection(socket, hostname)));
    socket.once('error', reject);
  });
}

function keptConnection(socket: Socket, host: string): KeptConnection {
  const closed = Promise.withResolvers<void>();
  const decoder = new TextDecoder();
  let received = '';
  let waiting: PromiseWithResolvers<RawAnswer> | undefined;
  socket.on('error', () => {});
  socket.on('data', (bytes: Buffer) => {
    received += decoder.decode(bytes, { stream: true });
    const { headers, body } = splitRaw(received);
    const length = headers['content-length'];
    if (length === undefined || Buffer.byteLength(body) < Number(length)) return;
    waiting?.resolve(readRaw(received));
    received = '';
    waiting = undefined;
  });
  socket.on('close', () => {
    waiting?.reject(new Error(`the connection was closed after ${received.length} bytes of the answer`));
    closed.resolve();
  });
  const send = (request: string): Promise<RawAnswer> => {
    waiting = Promise.withResolvers();
    socket.write(request);
    return waiting.promise;
  };
  return {
    get: (path) => send(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`),
    post(path, headers, body) {
      const lines = Object.entries({ host, ...headers, 'content-length': Buffer.byteLength(body) });
      const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      return send(`POST ${path} HTTP/1.1\r\n${head}\r\n${body}`);
    },
    isOpen: () => !socket.destroyed && socket.readyState === 'open',
    closed: closed.promise,
    close: () => socket.destroy(),
  };
}
