// A port that nothing listens on. Not one that the system would give: those also go to the near ends of connections, and
// one of them may take it before the test does.

import { createServer } from 'node:net';

const FIRST = 12_000;
const COUNT = 18_000;
const TRIES = 50;

export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (await isFree(port)) return port;
  }
  throw new Error('no free port');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
