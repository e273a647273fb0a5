// A pooler of sessions in front of a PostgreSQL, as PgBouncer is one: a startup parameter that it does not track is refused,
// whatever is said later goes through as it is.

import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

export interface Pooler {
  port: number;
  close(): Promise<void>;
}

const TRACKED = ['user', 'database', 'client_encoding', 'datestyle', 'timezone', 'application_name'];
/** The length of the packet and the version of the protocol. */
const HEAD_BYTES = 8;
const LENGTH_BYTES = 4;

export async function startPooler(targetPort: number): Promise<Pooler> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1');
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        target.destroy();
      });
    }
    client.once('data', (packet: Buffer) => {
      const unknown = parametersOf(packet).find((name) => !TRACKED.includes(name.toLowerCase()));
      if (unknown !== undefined) return void client.end(refusalOf(unknown));
      target.write(packet);
      client.pipe(target);
      target.pipe(client);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Names and values take turns, each with a zero byte at its end. */
function parametersOf(packet: Buffer): string[] {
  const words = packet.subarray(HEAD_BYTES).toString().split('\0');
  return words.filter((word, index) => index % 2 === 0 && word !== '');
}

function refusalOf(name: string): Buffer {
  const body = Buffer.from(`SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: ${name}\0\0`);
  const head = Buffer.alloc(1 + LENGTH_BYTES);
  head.write('E');
  head.writeInt32BE(body.length + LENGTH_BYTES, 1);
  return Buffer.concat([head, body]);
}
