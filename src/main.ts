// The server's process: start, obey signals, end with a clear code.

import { readSettings, SettingsRefused } from './config.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { systemClock } from './kit/clock.ts';
import { describeError } from './kit/log.ts';
import { createLineWriter } from './line-writer.ts';
import { StartRefused } from './start-refused.ts';
import { StoreRefused } from './store/refusal.ts';

/** A signal to a process group arrives twice, directly and forwarded by our parent: within this time it is one. */
const ONE_SIGNAL_MS = 1_000;

export async function serve(): Promise<void> {
  const { promise: started, resolve } = Promise.withResolvers<Gateway>();
  obeySignals(started);
  try {
    const lines = createLineWriter((text) => void process.stdout.write(text));
    process.on('exit', lines.flush);
    resolve(await startGateway(readSettings(), { fetch: globalThis.fetch, writeLog: lines.write }));
  } catch (error) {
    // Written whole before the end: a pipe takes only so much at once.
    process.stderr.write(`${startFailure(error)}\n`, () => process.exit(1));
  }
}

/** From before the start, because a signal that nobody listens to ends the process without draining. */
function obeySignals(started: Promise<Gateway>): void {
  let stoppingSince: number | undefined;
  const stop = () => {
    const now = systemClock.monotonic();
    if (stoppingSince === undefined) {
      stoppingSince = now;
      started.then(drain);
    } else if (now - stoppingSince > ONE_SIGNAL_MS) process.exit(130);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('SIGHUP', () => void started.then(reload));
  process.on('unhandledRejection', (error) => {
    started.then(({ log }) => log('error', 'unhandled_rejection', { detail: describeError(error) }));
  });
}

async function drain(gateway: Gateway): Promise<void> {
  try {
    await gateway.drain();
    process.exit(0);
  } catch (error) {
    gateway.log('error', 'drain_failed', { detail: describeError(error) });
    process.exit(1);
  }
}

async function reload(gateway: Gateway): Promise<void> {
  try {
    await gateway.reload();
  } catch (error) {
    const detail = error instanceof StartRefused ? error.message : describeError(error);
    gateway.log('error', 'reload_failed', { detail });
  }
}

function startFailure(error: unknown): string {
  if (error instanceof SettingsRefused) return `cannot start: ${error.faults.join('; ')}`;
  if (error instanceof StartRefused || error instanceof StoreRefused) return `cannot start: ${error.message}`;
  return `cannot start: ${describeError(error)}`;
}

if (import.meta.main) await serve();
