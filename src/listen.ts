// The public port: Bun's server with our own rules about time, size and sharing.

import type { Settings } from './config.ts';
import { StartRefused } from './start-refused.ts';

/** Also the time in which a request's headers must be complete, however slowly they come. */
const IDLE_SECONDS = 30;

export type Respond = (request: Request, peer: string | undefined) => Response | Promise<Response>;

export interface ListenOptions {
  respond: Respond;
  onRefused(): Promise<void>;
  idleSeconds?: number | undefined;
}

export async function listen(settings: Settings, { respond, onRefused, idleSeconds = IDLE_SECONDS }: ListenOptions) {
  try {
    return Bun.serve({
      port: settings.port,
      hostname: settings.host,
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
  } catch (error) {
    await onRefused();
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    const why = code === 'EADDRINUSE' ? 'the port is in use; set PORT to another one' : code;
    throw new StartRefused(`cannot listen on ${settings.host}:${settings.port}: ${why}`);
  }
}
