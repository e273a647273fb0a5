// A port: Bun's server with our own rules about time, size and sharing.

import { StartRefused } from './start-refused.ts';

/** Also the time in which a request's headers must be complete, however slowly they come. */
const IDLE_SECONDS = 30;

/** Of the operator's port, whatever HOST says. */
export const OPERATOR_HOST = '127.0.0.1';

/** Asks the kernel, so only who needs it asks; undefined once the client has gone. */
export type Peer = () => string | undefined;

export type Respond = (request: Request, peer: Peer) => Response | Promise<Response>;

export interface ListenOptions {
  host: string;
  port: number;
  /** The variable that sets the port, for who must choose another. */
  variable: 'PORT' | 'ADMIN_PORT';
  respond: Respond;
  /** Other processes of this gateway have the port, too, and the kernel spreads connections over them. */
  isShared?: boolean;
  idleSeconds?: number | undefined;
}

export type Server = ReturnType<typeof serveOn>;

/** Throws StartRefused. */
export function listen(options: ListenOptions): Server {
  const { host, port, variable } = options;
  try {
    return serveOn(options);
  } catch (error) {
    const why = isInUse(error) ? `the port is in use; set ${variable} to another one` : codeOf(error);
    throw new StartRefused(`cannot listen on ${host}:${port}: ${why}`);
  }
}

/** Whether we can have the port for ourselves, for who does not open it yet. Rejects with StartRefused. */
export async function checkPort(options: Pick<ListenOptions, 'host' | 'port' | 'variable'>): Promise<void> {
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
    fetch(request, server) {
      // Our own timers bound a request; the server's would cut a stream that waits for its upstream.
      server.timeout(request, 0);
      return respond(request, () => server.requestIP(request)?.address);
    },
  });
}

function isInUse(error: unknown): boolean {
  return codeOf(error) === 'EADDRINUSE';
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
