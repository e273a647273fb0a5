// The server's process: start, obey signals, end with a clear code. With PROCESSES above 1 it serves nothing itself, but
// starts as many processes that do.

import { systemClock } from './kit/clock.ts';
import { createLog, describeError } from './kit/log.ts';
import type { Gateway } from './server/gateway.ts';
import { checkPort, OPERATOR_HOST } from './server/ports/listen.ts';
import { startChild, tellServing } from './server/processes/child.ts';
import { createLineWriter, type LineWriter } from './server/processes/line-writer.ts';
import { supervise } from './server/processes/supervisor.ts';
import { readSettings, type Settings, SettingsRefused } from './server/settings/settings.ts';
import { StartEnded, StartRefused } from './server/start/start-refused.ts';
import { StoreRefused } from './store/refusal.ts';

/** A signal to a process group arrives twice, directly and forwarded by our parent: within this time it is one. */
const ONE_SIGNAL_MS = 1_000;
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
    // Written whole before the end: a pipe takes only so much at once.
    const lines = createLineWriter(STDERR);
    lines.write(`${startFailure(error)}\n`);
    await lines.end();
    process.exit(1);
  }
}

/** Before the database and the catalog file are touched: the server that has the ports would follow what a start applied
 * that is then refused. */
async function checkPorts({ host, port, adminPort, processes }: Settings): Promise<void> {
  await checkPort({ host, port, variable: 'PORT' });
  // Not set, or any free one.
  if (!adminPort) return;
  for (let index = 0; index < processes; index++) {
    await checkPort({ host: OPERATOR_HOST, port: adminPort + index, variable: 'ADMIN_PORT' });
  }
}

async function serveAlone(settings: Settings): Promise<void> {
  const { promise: started, resolve } = Promise.withResolvers<Gateway>();
  const lines = logLines();
  const stopping = new AbortController();
  obeySignals(started, stopping, lines, settings.processIndex !== undefined);
  // Loaded late: who only starts others is quick and small without it.
  const { startGateway } = await import('./server/start/start-gateway.ts');
  const { signal } = stopping;
  try {
    const gateway = await startGateway(settings, { fetch: globalThis.fetch, writeLog: lines.write, signal });
    resolve(gateway);
    const hasServed = await gateway.served;
    if (hasServed && settings.processIndex !== undefined) tellServing();
  } catch (error) {
    if (!(error instanceof StartEnded)) throw error;
    createLog(systemClock, lines.write)('info', 'stopped');
    await lines.end();
    process.exit(0);
  }
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

/** From before the start, because a signal that nobody listens to ends the process without draining. */
function obeySignals(started: Promise<Gateway>, stopping: AbortController, lines: LineWriter, isChild: boolean): void {
  let stoppingSince: number | undefined;
  const stop = () => {
    const now = systemClock.monotonic();
    if (stoppingSince === undefined) {
      stoppingSince = now;
      stopping.abort();
      started.then((gateway) => drain(gateway, lines));
    } else if (now - stoppingSince > ONE_SIGNAL_MS) process.exit(130);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('SIGHUP', () => void started.then(reload));
  process.on('unhandledRejection', (error) => {
    started.then(({ log }) => log('error', 'unhandled_rejection', { detail: describeError(error) }));
  });
  if (!isChild) return;
  // Who started us may be gone, and nobody then tells us to stop.
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

if (import.meta.main) await serve();
