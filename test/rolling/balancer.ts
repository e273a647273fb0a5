// A plain load balancer: connections go in turn to the nodes whose /readyz was 200 at the last check. Like nginx by default,
// it tries the next node if one refuses the connection, and never once a byte was sent.

import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

const CHECK_MS = 200;
const CHECK_WITHIN_MS = 2_000;

interface Node {
  port: number;
  isReady: boolean;
  connections: number;
  /** Ever. */
  opened: number;
}

export interface Balancer {
  url: string;
  /** Begins to check a node. */
  add(port: number): void;
  /** Sends it nothing more; open connections stay. */
  remove(port: number): void;
  /** Open connections to a node. */
  connectionsTo(port: number): number;
  /** Connections to a node that were ever begun. */
  openedTo(port: number): number;
  isReady(port: number): boolean;
  hasReady(): boolean;
  close(): void;
}

export async function startBalancer(): Promise<Balancer> {
  const nodes = new Map<number, Node>();
  const sockets = new Set<Socket>();
  let turn = 0;

  const checks = setInterval(() => {
    for (const node of nodes.values()) void check(node);
  }, CHECK_MS);

  /** The ready nodes, beginning with the one whose turn it is. */
  function inTurn(): Node[] {
    const ready = [...nodes.values()].filter(({ isReady }) => isReady);
    const first = ready.length === 0 ? 0 : turn++ % ready.length;
    return [...ready.slice(first), ...ready.slice(0, first)];
  }

  function pass(client: Socket, [node, ...others]: Node[]): void {
    if (!node) return void client.destroy();
    const upstream = connect(node.port, '127.0.0.1');
    // Also while it is being opened: a node that is killed breaks these, too.
    node.connections++;
    node.opened++;
    sockets.add(upstream);
    const refused = () => {
      sockets.delete(upstream);
      node.connections--;
      node.isReady = false;
      pass(client, others);
    };
    upstream.once('error', refused);
    upstream.once('connect', () => {
      upstream.off('error', refused);
      upstream.on('error', () => client.destroy());
      client.on('error', () => upstream.destroy());
      client.on('close', () => upstream.destroy());
      upstream.on('close', () => {
        node.connections--;
        sockets.delete(upstream);
        client.destroySoon();
      });
      client.pipe(upstream);
      upstream.pipe(client);
    });
  }

  const server = createServer({ pauseOnConnect: true }, (client) => {
    sockets.add(client);
    client.on('error', () => {});
    client.on('close', () => sockets.delete(client));
    pass(client, inTurn());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add(port) {
      const node = { port, isReady: false, connections: 0, opened: 0 };
      nodes.set(port, node);
      void check(node);
    },
    remove: (port) => void nodes.delete(port),
    connectionsTo: (port) => nodes.get(port)?.connections ?? 0,
    openedTo: (port) => nodes.get(port)?.opened ?? 0,
    isReady: (port) => nodes.get(port)?.isReady ?? false,
    hasReady: () => [...nodes.values()].some(({ isReady }) => isReady),
    close() {
      clearInterval(checks);
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

async function check(node: Node): Promise<void> {
  const answer = fetch(`http://127.0.0.1:${node.port}/readyz`, {
    keepalive: false,
    signal: AbortSignal.timeout(CHECK_WITHIN_MS),
  });
  node.isReady = await answer.then(
    ({ ok }) => ok,
    () => false,
  );
}
