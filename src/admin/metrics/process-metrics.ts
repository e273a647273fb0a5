// Metrics of the process: its version, its use of the machine, and its event loop delay.

import { readdirSync } from 'node:fs';
import type { Metrics } from './metrics.ts';

const TICK_MS = 50;
const SECONDS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const DECIMALS_OF_MICRO = 1e6;

/** The result stops it. */
export function readProcess(metrics: Metrics, version: string): () => void {
  metrics.read(
    {
      type: 'gauge',
      name: 'gateway_build_info',
      help: 'Always 1; the labels name the version.',
      labels: ['version', 'bun'],
    },
    () => [[1, version, Bun.version]],
  );
  metrics.read(
    { type: 'counter', name: 'process_cpu_seconds_total', help: 'CPU time, user and system.', labels: [] },
    () => {
      const { user, system } = process.cpuUsage();
      return [[(user + system) / DECIMALS_OF_MICRO]];
    },
  );
  metrics.gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());
  metrics.gauge('process_heap_bytes', 'Used memory of the JavaScript heap.', () => process.memoryUsage().heapUsed);
  const startedAt = (Date.now() - process.uptime() * 1000) / 1000;
  metrics.gauge('process_start_time_seconds', 'Start time in Unix seconds.', () => startedAt);
  const openFiles = () => readdirSync('/proc/self/fd').length;
  metrics.gauge('process_open_fds', 'Open files and sockets, if the system reports them.', openFiles);
  return watchLoop(metrics);
}

/** Uses real timers: a test's clock does not show how busy this process is. */
function watchLoop(metrics: Metrics): () => void {
  const delay = metrics
    .histogram({
      name: 'gateway_event_loop_delay_seconds',
      help: 'Delay of a timer that is set every 50 ms.',
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
