// A wire that can be broken: a proxy on loopback in front of a server. In front of a PostgreSQL it can also lose connections
// around a COMMIT.

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

/** What a broken network does to all connections, until it is mended. */
export type WireFault =
  /** Every piece arrives so much later. */
  | { kind: 'delay'; ms: number }
  /** Answers come a few bytes at a time. */
  | { kind: 'drip'; bytes: number; everyMs: number }
  /** Connections stay open and new ones are accepted, but nothing passes; when it is mended, everything arrives. */
  | { kind: 'silence' }
  /** Connections are closed, and so is every new one. */
  | { kind: 'refuse' }
  /** A connection gets a RST after so many bytes of answers. */
  | { kind: 'reset'; afterBytes: number };

export interface TcpProxy {
  port: number;
  /** Breaks the wire, or mends it. */
  disturb(fault: WireFault | undefined): void;
  /** How many connections are open. */
  connections(): number;
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
  const clients = new Set<Socket>();
  let fault: WireFault | undefined;
  let mended = Promise.withResolvers<void>();

  /** Passes bytes on in their order, as the wire allows. */
  function createFlow(to: Socket, isAnswer: boolean) {
    const queue: { bytes: Buffer; done?: (() => void) | undefined }[] = [];
    let isRunning = false;
    async function run(): Promise<void> {
      for (let next = queue[0]; next; next = queue[0]) {
        if (fault?.kind === 'silence') await mended.promise;
        else if (fault?.kind === 'delay') await Promise.race([Bun.sleep(fault.ms), mended.promise]);
        else if (fault?.kind === 'drip' && isAnswer && next.bytes.length > fault.bytes) {
          to.write(next.bytes.subarray(0, fault.bytes));
          next.bytes = next.bytes.subarray(fault.bytes);
          await Promise.race([Bun.sleep(fault.everyMs), mended.promise]);
          continue;
        }
        queue.shift();
        if (!to.destroyed) to.write(next.bytes, next.done);
      }
    }
    return (bytes: Buffer, done?: () => void) => {
      if (!fault && !isRunning) return void to.write(bytes, done);
      queue.push({ bytes, done });
      if (isRunning) return;
      isRunning = true;
      void run().finally(() => {
        isRunning = false;
      });
    };
  }

  const server = createServer((client) => {
    if (admitted-- <= 0 || fault?.kind === 'refuse') return void client.on('error', () => {}).destroy();
    const target = connect(targetPort, '127.0.0.1');
    let isMute = false;
    let isEnding = false;
    let isAlone = false;
    let answered = 0;
    const toTarget = createFlow(target, false);
    const toClient = createFlow(client, true);
    const end = () => {
      client.destroy();
      target.destroy();
    };
    clients.add(client);
    client.on('close', () => clients.delete(client));
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        if (isAlone) return;
        // The other end hears of it, after what was sent before, when the wire is mended.
        if (fault?.kind === 'silence') void mended.promise.then(() => other.end());
        else end();
      });
    }
    client.on('data', (bytes: Buffer) => {
      for (const word of missing) if (bytes.includes(word)) missing.delete(word);
      if (missing.size === 0) for (const pass of held.splice(0)) pass();
      const cut = bytes.includes('COMMIT\0') ? where(++commits) : undefined;
      if (cut) cuts++;
      if (cut === 'silence') return;
      if (cut === 'before COMMIT') return end();
      if (cut === 'after COMMIT') isEnding = true;
      if (cut === 'after COMMIT' || cut === 'silence after COMMIT') isMute = true;
      isAlone = cut === 'client gone';
      toTarget(bytes, () => cut === 'during COMMIT' && end());
      if (isAlone) client.destroy();
    });
    target.on('data', (bytes: Buffer) => {
      answered += bytes.length;
      if (fault?.kind === 'reset' && answered > fault.afterBytes) {
        client.write(bytes.subarray(0, Math.max(0, bytes.length - (answered - fault.afterBytes))));
        client.resetAndDestroy();
      } else if (missing.size > 0) held.push(() => client.write(bytes));
      else if (!isMute) toClient(bytes);
      else if (isEnding && bytes.includes('COMMIT\0')) end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    disturb(next) {
      fault = next;
      mended.resolve();
      mended = Promise.withResolvers();
      if (next?.kind === 'refuse') for (const client of clients) client.destroy();
    },
    connections: () => clients.size,
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
      fault = undefined;
      mended.resolve();
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
