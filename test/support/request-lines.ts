// A proxy of bare connections that notes how each begins: what a client really opened, whatever it became.

import { connect, createServer, type Socket } from 'node:net';

export interface RequestLines {
  url: string;
  /** The first line of each. */
  lines: readonly string[];
  /** The first line and the headers of each. */
  heads: readonly string[];
  reset(): void;
  close(): Promise<void>;
}

export async function watchRequests(port: number): Promise<RequestLines> {
  let heads: string[] = [];
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const target = connect(port, '127.0.0.1');
    for (const socket of [client, target]) {
      open.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => open.delete(socket));
    }
    client.once('data', (bytes: Buffer) => heads.push(bytes.toString('latin1').split('\r\n\r\n')[0] ?? ''));
    client.pipe(target).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the proxy has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    get lines() {
      return heads.map((head) => head.split('\r\n')[0] ?? '');
    },
    get heads() {
      return heads;
    },
    reset() {
      heads = [];
    },
    close() {
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
