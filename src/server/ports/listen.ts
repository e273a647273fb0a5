// A port: Bun's server with our own rules about time, size and sharing.

import type { Connection } from '../../kit/connection.ts';
import { codeOf } from '../../kit/error-code.ts';
import { StartRefused } from '../start/start-refused.ts';
import { describeListenFailure, type ListenPlace } from './listen-failure.ts';

/**
 * A connection without a request under way is closed after this time: later than most proxies and clients close theirs, so that
 * no request of theirs meets one that is just being closed. The headers of its next request must be complete in it, too,
 * however slowly they come; for those of the first one Bun has a time of its own, about 10 s.
 */
const IDLE_SECONDS = 120;

/** Of the operator's port, whatever HOST says. */
export const OPERATOR_HOST = '127.0.0.1';

export type Respond = (request: Request, connection: Connection) => Response | Promise<Response>;

export interface ListenOptions extends ListenPlace {
  respond: Respond;
  /** Other processes of this gateway have the port, too, and the kernel spreads connections over them. */
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

/** Whether we can have the port for ourselves, for who does not open it yet. Rejects with StartRefused. */
export async function checkPort(options: ListenPlace): Promise<void> {
  const server = listen({ ...options, respond: () => new Response(null, { status: 503 }) });
  await server.stop(true);
}

/** The port, or any other one if somebody has it already. */
export function listenSomewhere(options: ListenOptions): Server {
  try {
    return serveOn(options);
  } catch {
    return listen({ ...options, port: 0 });
  }
}

function serveOn({ host, port, respond, isShared = false, idleSeconds = IDLE_SECONDS }: ListenOptions) {
  return Bun.serve({
    port,
    hostname: host,
    // Every route has its own cap, in our envelope; the server's would answer with an empty 413.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    idleTimeout: idleSeconds,
    development: false,
    // Shared by default, a second gateway would take a part of the first one's clients, and nobody would know.
    reusePort: isShared,
    fetch: (request, server) => respond(request, new RequestConnection(request, server, idleSeconds)),
  });
}

/** One for each request: the server knows a connection by the request that is under way on it. */
class RequestConnection implements Connection {
  readonly #request: Request;
  readonly #server: Bun.Server<undefined>;
  readonly #idleSeconds: number;
  #peer: string | undefined;

  constructor(request: Request, server: Bun.Server<undefined>, idleSeconds: number) {
    this.#request = request;
    this.#server = server;
    this.#idleSeconds = idleSeconds;
  }

  /** Asks the kernel, so only who needs it asks. */
  peer(): string | undefined {
    this.#peer ??= this.#server.requestIP(this.#request)?.address;
    return this.#peer;
  }

  keepOpen(isKept: boolean): void {
    this.#server.timeout(this.#request, isKept ? 0 : this.#idleSeconds);
  }
}
