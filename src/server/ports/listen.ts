// Opens a port: Bun's server with our rules for timeouts, body size and sharing.

import type { Connection, Socket, SocketUser } from '../../kit/connection.ts';
import { codeOf } from '../../kit/error-code.ts';
import { StartRefused } from '../start/start-refused.ts';
import { describeListenFailure, type ListenPlace } from './listen-failure.ts';

/**
 * Idle connections are closed after this time: later than most proxies and clients close theirs, so that they do not
 * send a request on a closing connection. The headers of the next request must be complete within it, too; for the
 * first request Bun has its own timeout of about 10 s.
 */
const IDLE_SECONDS = 120;

/** For the operator's port, whatever HOST says. */
export const OPERATOR_HOST = '127.0.0.1';

export type Respond = (request: Request, connection: Connection) => Response | Promise<Response>;

export interface ListenOptions extends ListenPlace {
  respond: Respond;
  /** Several processes of this gateway share the port; the kernel distributes connections. */
  isShared?: boolean;
  idleSeconds?: number | undefined;
}

export type Server = ReturnType<typeof serveOn>;

/** Throws StartRefused. */
export function listen(options: ListenOptions): Server {
  try {
    return serveOn(options);
  } catch (error) {
    throw new StartRefused(describeListenFailure(options, codeOf(error)));
  }
}

/** Checks that the port is free, without keeping it open. Rejects with StartRefused. */
export async function checkPort(options: ListenPlace): Promise<void> {
  const server = listen({ ...options, respond: () => new Response(null, { status: 503 }) });
  await server.stop(true);
}

/** Opens the port, or any free one if it is taken. */
export function listenSomewhere(options: ListenOptions): Server {
  try {
    return serveOn(options);
  } catch {
    return listen({ ...options, port: 0 });
  }
}

/**
 * A longer message closes its connection. It is a little more than a body of POST may have, which gets an answer. See
 * `MAX_SOCKETS` for the memory that unfinished messages take.
 */
const MAX_MESSAGE_BYTES = 20 * 1024 * 1024 + 64 * 1024;
/** A WebSocket whose client does not answer pings for this time is closed. */
const SILENT_SECONDS = 120;

function serveOn({ host, port, respond, isShared = false, idleSeconds = IDLE_SECONDS }: ListenOptions) {
  return Bun.serve<SocketUser>({
    port,
    hostname: host,
    // Every route has its own limit and error format; the server's would send an empty 413.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    idleTimeout: idleSeconds,
    development: false,
    // If it were shared by default, a second gateway would silently take some of the first one's clients.
    reusePort: isShared,
    fetch: (request, server) => respond(request, new RequestConnection(request, server, idleSeconds)),
    websocket: {
      maxPayloadLength: MAX_MESSAGE_BYTES,
      idleTimeout: SILENT_SECONDS,
      open: (socket) => socket.data.onOpen(new ServerSocket(socket)),
      message: (socket, message) => socket.data.onMessage(message),
      drain: (socket) => socket.data.onDrain(),
      close: (socket) => socket.data.onClose(),
    },
  });
}

class ServerSocket implements Socket {
  readonly #socket: Bun.ServerWebSocket<SocketUser>;

  constructor(socket: Bun.ServerWebSocket<SocketUser>) {
    this.#socket = socket;
  }

  send(text: string): boolean {
    return this.#socket.send(text) !== DROPPED;
  }

  bufferedBytes(): number {
    return this.#socket.getBufferedAmount();
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }
}

/** The server's word for a message that it could not send. */
const DROPPED = 0;

/** One per request: the server identifies a connection by its current request. */
class RequestConnection implements Connection {
  readonly #request: Request;
  readonly #server: Bun.Server<SocketUser>;
  readonly #idleSeconds: number;
  #peer: string | undefined;

  constructor(request: Request, server: Bun.Server<SocketUser>, idleSeconds: number) {
    this.#request = request;
    this.#server = server;
    this.#idleSeconds = idleSeconds;
  }

  /** A system call, made once for each request that asks for it. */
  peer(): string | undefined {
    this.#peer ??= this.#server.requestIP(this.#request)?.address;
    return this.#peer;
  }

  keepOpen(isKept: boolean): void {
    this.#server.timeout(this.#request, isKept ? 0 : this.#idleSeconds);
  }

  upgrade(user: SocketUser, headers: Readonly<Record<string, string>>): boolean {
    return this.#server.upgrade(this.#request, { data: user, headers });
  }
}
