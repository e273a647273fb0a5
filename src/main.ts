// The server's process: start, obey signals, end with a clear code.

import { readSettings, SettingsRefused } from './config.ts';
import { type Gateway, StartRefused, startGateway } from './gateway.ts';
import { describeError } from './kit/log.ts';
import { StoreRefused } from './store/refusal.ts';

export async function serve(): Promise<void> {
  let gateway: Gateway;
  try {
    const settings = readSettings();
    gateway = await startGateway(settings);
  } catch (error) {
    process.stderr.write(`${startFailure(error)}\n`);
    process.exit(1);
  }
  let stopping = false;
  const stop = () => {
    if (stopping) process.exit(130);
    stopping = true;
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
