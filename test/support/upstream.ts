// An upstream on loopback that answers by script and remembers every request it saw, and whether the caller stayed.

import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Answer } from './answer.ts';
import { eventually } from './eventually.ts';
import { playScript } from './play-script.ts';
import { readWireRequest, type WireRequest } from './read-wire.ts';
import type { Script } from './script.ts';

export interface SeenRequest extends WireRequest {
  /** The body as JSON. */
  json: Answer;
  /** `performance.now()` when the request was whole. */
  at: number;
  /** When the caller closed the connection before the script had ended. */
  abortedAt: number | undefined;
  /** The script has ended, or the caller has left. */
  ended: boolean;
}

export interface ScriptedUpstream {
  /** As a channel's base_url wants it. */
  baseUrl: string;
  host: string;
  port: number;
  readonly requests: readonly SeenRequest[];
  /** Scripts for the next requests, in the order they arrive. */
  next(...scripts: Script[]): void;
  /** What requests get when no script is queued: a 500 unless a test says otherwise. */
  otherwise(script: Script | ((request: SeenRequest) => Script)): void;
  /** The request at this position, awaited. */
  request(index: number): Promise<SeenRequest>;
  /** Forgets requests and queued scripts. */
  reset(): void;
  close(): Promise<void>;
}

const NOTHING_QUEUED: Script = { status: 500, body: ['{"error":{"message":"nothing was queued"}}'] };

export async function startUpstream(): Promise<ScriptedUpstream> {
  const sockets = new Set<Socket>();
  let requests: SeenRequest[] = [];
  let queue: Script[] = [];
  let answer: (request: SeenRequest) => Script = () => NOTHING_QUEUED;

  async function serve(socket: Socket, wire: WireRequest): Promise<void> {
    const seen: SeenRequest = {
      ...wire,
      json: parse(wire.body),
      at: performance.now(),
      abortedAt: undefined,
      ended: false,
    };
    requests.push(seen);
    const leave = () => {
      if (!seen.ended) seen.abortedAt ??= performance.now();
      seen.ended = true;
    };
    socket.on('end', leave);
    socket.on('close', leave);
    if ((await playScript(socket, queue.shift() ?? answer(seen))) === 'left') leave();
    seen.ended = true;
  }

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    sockets.add(socket);
    let received: Buffer = Buffer.alloc(0);
    let served = false;
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      const wire = served ? undefined : readWireRequest(received);
      if (!wire) return;
      served = true;
      void serve(socket, wire);
    });
    socket.on('end', () => socket.end());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    host: '127.0.0.1',
    port,
    get requests() {
      return requests;
    },
    next: (...scripts) => void queue.push(...scripts),
    otherwise(script) {
      answer = typeof script === 'function' ? script : () => script;
    },
    request: (index) => eventually(`request ${index} at the upstream`, () => requests[index]),
    reset() {
      requests = [];
      queue = [];
      answer = () => NOTHING_QUEUED;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function parse(body: string): Answer {
  try {
    return JSON.parse(body);
  } catch {
    return {};
  }
}
