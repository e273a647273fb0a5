// A wire that can be cut: a proxy on loopback in front of a PostgreSQL, which loses connections around a COMMIT.

import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

/** Before the server hears of it, while it is at it, or after it has done it but before the client hears of that.
 * With `client gone` the server has all of it, and does not know that nobody listens. The last two cut nothing, and both
 * ends keep their connection: with `silence` the server never hears of it, with `silence after COMMIT` it has done it, and
 * the client never hears of that. */
export type CutAt =
  | 'before COMMIT'
  | 'during COMMIT'
  | 'after COMMIT'
  | 'client gone'
  | 'silence'
  | 'silence after COMMIT';

export interface TcpProxy {
  port: number;
  /** How many COMMITs the client has sent, and how many of them lost their connection. */
  commits(): number;
  cuts(): number;
  /** Decides for every COMMIT, counted from 1, whether the wire is cut there. */
  cut(where: (commit: number) => CutAt | undefined): void;
  /** So many more connections are let through; all, if nothing was said. */
  admit(connections: number): void;
  /** No answer is passed on before the client has sent all of these words, each once. */
  holdAnswersUntil(words: readonly string[]): void;
  close(): Promise<void>;
}

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let commits = 0;
  let cuts = 0;
  let where: (commit: number) => CutAt | undefined = () => undefined;
  let admitted = Number.POSITIVE_INFINITY;
  const missing = new Set<string>();
  const held: (() => void)[] = [];

  const server = createServer((client) => {
    if (admitted-- <= 0) return void client.on('error', () => {}).destroy();
    const target = connect(targetPort, '127.0.0.1');
    let isMute = false;
    let isEnding = false;
    let isAlone = false;
    const end = () => {
      client.destroy();
      target.destroy();
    };
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.on('error', end);
      socket.on('close', () => {
        sockets.delete(socket);
        if (!isAlone) end();
      });
    }
    client.on('data', (bytes) => {
      for (const word of missing) if (bytes.includes(word)) missing.delete(word);
      if (missing.size === 0) for (const pass of held.splice(0)) pass();
      const cut = bytes.includes('COMMIT\0') ? where(++commits) : undefined;
      if (cut) cuts++;
      if (cut === 'silence') return;
      if (cut === 'before COMMIT') return end();
      if (cut === 'after COMMIT') isEnding = true;
      if (cut === 'after COMMIT' || cut === 'silence after COMMIT') isMute = true;
      isAlone = cut === 'client gone';
      target.write(bytes, () => cut === 'during COMMIT' && end());
      if (isAlone) client.destroy();
    });
    target.on('data', (bytes) => {
      if (missing.size > 0) held.push(() => client.write(bytes));
      else if (!isMute) client.write(bytes);
      else if (isEnding && bytes.includes('COMMIT\0')) end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    commits: () => commits,
    cuts: () => cuts,
    cut(chosen) {
      where = chosen;
    },
    admit(connections) {
      admitted = connections;
    },
    holdAnswersUntil(words) {
      for (const word of words) missing.add(word);
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
