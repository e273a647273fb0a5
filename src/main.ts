// The server's process: start, signals, exit code. With PROCESSES above 1 it serves nothing itself, but starts that
// many processes that do.

import { systemClock } from './kit/clock.ts';
import { createLog, describeError } from './kit/log.ts';
import type { Gateway } from './server/gateway.ts';
import { checkPort, OPERATOR_HOST } from './server/ports/listen.ts';
import { reportServing, startChild } from './server/processes/child.ts';
import { createLineWriter, type LineWriter } from './server/processes/line-writer.ts';
import { supervise } from './server/processes/supervisor.ts';
import { readSettings, type Settings, SettingsRefused } from './server/settings/settings.ts';
import { StartEnded, StartRefused } from './server/start/start-refused.ts';
import { StoreRefused } from './store/refusal.ts';

/** A signal to a process group arrives twice, directly and through our parent: within this time it counts once. */
const SAME_SIGNAL_MS = 1_000;
const STDOUT = 1;
const STDERR = 2;

export async function serve(): Promise<void> {
  try {
    const settings = readSettings();
    const { processes, processIndex } = settings;
    if (processIndex === undefined) await checkPorts(settings);
    if (processes > 1 && processIndex === undefined) await serveWithOthers(settings);
    else await serveAlone(settings);
  } catch (error) {
    // Waits until all is written: a pipe takes a limited amount at once.
    const lines = createLineWriter(STDERR);
    lines.write(`${startFailure(error)}\n`);
    await lines.end();
    process.exit(1);
  }
}

/**
 * Runs before the database and the catalog file are touched: a running server on these ports would follow changes of a
 * start that is then refused.
 */
async function checkPorts({ host, port, adminPort, processes }: Settings): Promise<void> {
  await checkPort({ host, port, variable: 'PORT' });
  // Unset, or any free port.
  if (!adminPort) return;
  for (let index = 0; index < processes; index++) {
    await checkPort({ host: OPERATOR_HOST, port: adminPort + index, variable: 'ADMIN_PORT' });
  }
}

async function serveAlone(settings: Settings): Promise<void> {
  const { promise: started, resolve } = Promise.withResolvers<Gateway>();
  const lines = logLines();
  const stopping = new AbortController();
  handleSignals(started, stopping, lines, settings.processIndex !== undefined);
  startHttpClient();
  // Loaded lazily: a process that only starts others stays small.
  const { startGateway } = await import('./server/start/start-gateway.ts');
  const { signal } = stopping;
  try {
    const gateway = await startGateway(settings, { fetch: globalThis.fetch, writeLog: lines.write, signal });
    resolve(gateway);
    const hasServed = await gateway.served;
    if (hasServed && settings.processIndex !== undefined) reportServing();
  } catch (error) {
    if (!(error instanceof StartEnded)) throw error;
    createLog(systemClock, lines.write)('info', 'stopped');
    await lines.end();
    process.exit(0);
  }
}

/**
 * Bun starts the thread of its HTTP client with the first request, and ends the process if no file descriptor is left at
 * that moment. So it is started here, with a request to a port of this machine where nothing listens.
 */
function startHttpClient(): void {
  globalThis.fetch('http://127.0.0.1:1/').catch(() => {});
}

async function serveWithOthers({ processes: count }: Settings): Promise<void> {
  const lines = logLines();
  const log = createLog(systemClock, lines.write);
  const start = (index: number, follows: boolean) => startChild(index, follows, lines.write);
  const supervisor = supervise({ count, clock: systemClock, log, start });
  process.on('SIGTERM', supervisor.stop);
  process.on('SIGINT', supervisor.stop);
  process.on('SIGHUP', supervisor.reload);
  const code = await supervisor.ended;
  await lines.end();
  process.exit(code);
}

function logLines(): LineWriter {
  const lines = createLineWriter(STDOUT);
  process.on('exit', lines.flush);
  return lines;
}

/** Installed before the start, because an unhandled signal ends the process without draining. */
function handleSignals(
  started: Promise<Gateway>,
  stopping: AbortController,
  lines: LineWriter,
  isChild: boolean,
): void {
  let stoppingSince: number | undefined;
  const stop = () => {
    const now = systemClock.monotonic();
    if (stoppingSince === undefined) {
      stoppingSince = now;
      stopping.abort();
      started.then((gateway) => drain(gateway, lines));
    } else if (now - stoppingSince > SAME_SIGNAL_MS) process.exit(130);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('SIGHUP', () => void started.then(reload));
  process.on('unhandledRejection', (error) => {
    started.then(({ log }) => log('error', 'unhandled_rejection', { detail: describeError(error) }));
  });
  if (!isChild) return;
  // If the parent is gone, nothing else would stop this process.
  const drainAlone = () => stoppingSince ?? stop();
  process.on('disconnect', drainAlone);
  if (!process.connected) drainAlone();
}

async function drain(gateway: Gateway, lines: LineWriter): Promise<void> {
  let code = 0;
  try {
    await gateway.drain();
  } catch (error) {
    gateway.log('error', 'drain_failed', { detail: describeError(error) });
    code = 1;
  }
  await lines.end();
  process.exit(code);
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

if (import.meta.main) void serve();
