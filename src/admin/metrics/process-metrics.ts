// The process itself: which build it is, what it takes of the machine, and how late its event loop is.

import { readdirSync } from 'node:fs';
import type { Metrics } from './metrics.ts';

const TICK_MS = 50;
const SECONDS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const DECIMALS_OF_MICRO = 1e6;

/** The result ends the watch. */
export function readProcess(metrics: Metrics, version: string): () => void {
  const gauge = { type: 'gauge', labels: [] } as const;
  metrics.read(
    {
      type: 'gauge',
      name: 'gateway_build_info',
      help: 'Always 1; the labels say what runs.',
      labels: ['version', 'bun'],
    },
    () => [[1, version, Bun.version]],
  );
  metrics.read(
    { type: 'counter', name: 'process_cpu_seconds_total', help: 'Processor time, user and system.', labels: [] },
    () => {
      const { user, system } = process.cpuUsage();
      return [[(user + system) / DECIMALS_OF_MICRO]];
    },
  );
  metrics.read({ ...gauge, name: 'process_resident_memory_bytes', help: 'Resident memory.' }, () => [
    [process.memoryUsage.rss()],
  ]);
  metrics.read({ ...gauge, name: 'process_heap_bytes', help: 'Memory of the JavaScript heap in use.' }, () => [
    [process.memoryUsage().heapUsed],
  ]);
  const startedAt = (Date.now() - process.uptime() * 1000) / 1000;
  metrics.read({ ...gauge, name: 'process_start_time_seconds', help: 'When it started, in seconds of Unix.' }, () => [
    [startedAt],
  ]);
  metrics.read({ ...gauge, name: 'process_open_fds', help: 'Open files and sockets, where the system tells.' }, () => [
    [readdirSync('/proc/self/fd').length],
  ]);
  return watchLoop(metrics);
}

/** Real timers and real time: a test's clock says nothing of how busy this process is. */
function watchLoop(metrics: Metrics): () => void {
  const delay = metrics
    .histogram({
      name: 'gateway_event_loop_delay_seconds',
      help: 'How late a timer comes that is set every 50 ms.',
      labels: [],
      bounds: SECONDS,
    })
    .of();
  let due = performance.now() + TICK_MS;
  const timer = setInterval(() => {
    const now = performance.now();
    delay.observe(Math.max(0, now - due) / 1000);
    due = now + TICK_MS;
  }, TICK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
