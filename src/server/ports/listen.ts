// Opens a port: Bun's server with our rules for timeouts, body size and sharing.

import { isIP } from 'node:net';
import type { Connection, Socket, SocketUser } from '../../kit/connection.ts';
import { codeOf } from '../../kit/error-code.ts';
import { StartRefused } from '../start/start-refused.ts';

/**
 * Idle connections are closed after this time: later than most proxies and clients close theirs, so that they do not
 * send a request on a closing connection. The headers of the next request must be complete within it, too; for the
 * first request Bun has its own timeout of about 10 s.
 */
const IDLE_SECONDS = 120;

/** For the operator's port, whatever HOST says. */
export const OPERATOR_HOST = '127.0.0.1';

export type Respond = (request: Request, connection: Connection) => Response | Promise<Response>;

interface ListenPlace {
  host: string;
  port: number;
  /** Sets the port. HOST sets the host of PORT; ADMIN_PORT is always on loopback. */
  variable: 'PORT' | 'ADMIN_PORT';
}

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

/** The process or the machine has no sockets left, whatever the host. */
const OUT_OF_RESOURCES = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);

/** EAFNOSUPPORT: an IPv6 address on a machine without IPv6. */
const NOT_A_LOCAL_ADDRESS = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'ENOENT']);

/** Says in one line why a port cannot be opened: the address, the reason, and the variable to change. */
export function describeListenFailure(place: ListenPlace, code = 'unknown error'): string {
  return `cannot listen on ${inUrl(place.host)}:${place.port}: ${reasonAndRemedy(place, code)}`;
}

function reasonAndRemedy({ host, variable }: ListenPlace, code: string): string {
  if (code === 'EADDRINUSE') return `the port is in use; set ${variable} to another one`;
  if (code === 'EACCES') return `no permission for this port; set ${variable} to 1024 or above`;
  if (variable === 'ADMIN_PORT') return `${code}; the port is set by ADMIN_PORT`;
  if (OUT_OF_RESOURCES.has(code)) return `${code}; the address is set by HOST and the port by PORT`;
  // Bun reports the resolver's last errno: ENOENT, EAGAIN or EINVAL for the same unknown name.
  if (isIP(bare(host)) === 0) {
    return `the name has no address on this machine (${code}); set HOST to an address that it has, or to 0.0.0.0`;
  }
  if (NOT_A_LOCAL_ADDRESS.has(code)) {
    return 'this machine does not have that address; set HOST to one that it has, or to 0.0.0.0';
  }
  return `the address cannot be used (${code}); set HOST to another one, or to 0.0.0.0`;
}

const bare = (host: string) => host.replace(/^\[(.*)\]$/, '$1');

const inUrl = (host: string) => (isIP(bare(host)) === 6 ? `[${bare(host)}]` : host);
