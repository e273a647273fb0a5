// A port: Bun's server with our own rules about time, size and sharing.

import { StartRefused } from './start-refused.ts';

/** Also the time in which a request's headers must be complete, however slowly they come. */
const IDLE_SECONDS = 30;

export type Respond = (request: Request, peer: string | undefined) => Response | Promise<Response>;

export interface ListenOptions {
  host: string;
  port: number;
  /** The variable that sets the port, for who must choose another. */
  variable: 'PORT' | 'ADMIN_PORT';
  respond: Respond;
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

/** The port, or any other one if somebody has it already. */
export function listenSomewhere(options: ListenOptions): Server {
  try {
    return serveOn(options);
  } catch {
    return listen({ ...options, port: 0 });
  }
}

function serveOn({ host, port, respond, idleSeconds = IDLE_SECONDS }: ListenOptions) {
  return Bun.serve({
    port,
    hostname: host,
    // Every route has its own cap, in our envelope; the server's would answer with an empty 413.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    idleTimeout: idleSeconds,
    development: false,
    // Without it a second server would share the port, and clients would meet one or the other.
    reusePort: false,
    fetch(request, server) {
      // Our own timers bound a request; the server's would cut a stream that waits for its upstream.
      server.timeout(request, 0);
      return respond(request, server.requestIP(request)?.address);
    },
  });
}

function isInUse(error: unknown): boolean {
  return codeOf(error) === 'EADDRINUSE';
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
