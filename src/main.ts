// The server's process: start, obey signals, end with a clear code.

import { readSettings, SettingsRefused } from './config.ts';
import { type Gateway, StartRefused, startGateway } from './gateway.ts';
import { systemClock } from './kit/clock.ts';
import { describeError } from './kit/log.ts';
import { StoreRefused } from './store/refusal.ts';

/** A signal to a process group arrives twice, directly and forwarded by our parent: within this time it is one. */
const ONE_SIGNAL_MS = 1_000;

export async function serve(): Promise<void> {
  let gateway: Gateway;
  try {
    const settings = readSettings();
    gateway = await startGateway(settings, { fetch: globalThis.fetch });
  } catch (error) {
    process.stderr.write(`${startFailure(error)}\n`);
    process.exit(1);
  }
  let stoppingSince: number | undefined;
  const stop = () => {
    const now = systemClock.monotonic();
    if (stoppingSince !== undefined) {
      if (now - stoppingSince > ONE_SIGNAL_MS) process.exit(130);
      return;
    }
    stoppingSince = now;
    gateway.drain().then(
      () => process.exit(0),
      (error: unknown) => {
        gateway.log('error', 'drain_failed', { detail: describeError(error) });
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('SIGHUP', () => {
    gateway.reload().catch((error: unknown) => gateway.log('error', 'reload_failed', { detail: describeError(error) }));
  });
  process.on('unhandledRejection', (error) => {
    gateway.log('error', 'unhandled_rejection', { detail: describeError(error) });
  });
}

function startFailure(error: unknown): string {
  if (error instanceof SettingsRefused) return `cannot start: ${error.faults.join('; ')}`;
  if (error instanceof StartRefused || error instanceof StoreRefused) return `cannot start: ${error.message}`;
  return `cannot start: ${describeError(error)}`;
}

if (import.meta.main) await serve();
