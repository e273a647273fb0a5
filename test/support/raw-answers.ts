// A TLS server on loopback that answers any request with given bytes, also such as no HTTP server would send.

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';

export const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n';
export const INTERIM = 'HTTP/1.1 103 Early Hints\r\n\r\n';

/** It keeps the connection open after them. */
export async function answerRaw(pair: { cert: string; key: string }, answer: string) {
  const server = createServer(pair, (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, stop: () => void server.close() };
}
