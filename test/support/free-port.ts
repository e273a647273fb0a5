// A port that nothing listens on. Not one that the system would give: those also go to the near ends of connections, and
// one of them may take it before the test does.

import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

const FIRST = 12_000;
const COUNT = 18_000;
const TRIES = 50;
/** Time enough for who asked to listen there, or to see that nobody does. */
const RESERVED_MS = 60_000;

export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if ((await reserve(port)) && (await isFree(port))) return port;
  }
  throw new Error('no free port');
}

/** Keeps other tests, also those of other processes, from it: they find the port of the same number taken for UDP. */
function reserve(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.once('error', () => resolve(false));
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      socket.unref();
      setTimeout(() => socket.close(), RESERVED_MS).unref();
      resolve(true);
    });
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
