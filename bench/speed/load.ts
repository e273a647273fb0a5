// The load runs in a separate process, so that its work does not affect the others. It uses raw sockets, because Bun's
// fetch costs twice as much per request, 19 µs against 10 on one machine. Its parent controls it over IPC.

import { createCheck, type LoadConnection, openConnection, type Timed } from './connection.ts';
import type { Call, Latency, LoadCommand, LoadOrder, LoadReply, LoadReport } from './messages.ts';
import { type CpuOf, spentUs, threadTimes } from './processes.ts';
import { quantile } from './statistics.ts';

/** Connections opened at a time: a listener's queue is finite, and a gateway may refuse what it cannot admit at once. */
const OPENED_AT_ONCE = 50;

async function connect(call: Call, count: number): Promise<LoadConnection[]> {
  const check = createCheck(call.expect);
  const connections: LoadConnection[] = [];
  while (connections.length < count) {
    const some = Math.min(OPENED_AT_ONCE, count - connections.length);
    const keyAt = (index: number) => call.keys[(connections.length + index) % call.keys.length];
    const opening = Array.from({ length: some }, (_, index) => openConnection(call, keyAt(index), check));
    connections.push(...(await Promise.all(opening)));
  }
  return connections;
}

async function load({
  call,
  connections: count,
  forMs,
  enough = Infinity,
  rampMs = 0,
  hasFirst,
  watch,
}: LoadOrder): Promise<LoadReport> {
  const connections = await connect(call, count);
  try {
    if (hasFirst) await Promise.all(connections.map((connection) => connection.ask()));
    const times: Timed[] = [];
    const groups = Object.entries(watch).map(([group, pids]) => ({ group, pids, before: threadTimes(pids) }));
    const own = process.cpuUsage();
    const startedAt = performance.now();
    const until = startedAt + forMs;
    await Promise.all(
      connections.map(async (connection, index) => {
        if (rampMs > 0) await Bun.sleep((rampMs * index) / count);
        do times.push(await connection.ask());
        while (performance.now() < until && times.length < enough);
      }),
    );
    const seconds = (performance.now() - startedAt) / 1000;
    const { user, system } = process.cpuUsage(own);
    const cpuUs: CpuOf = {};
    for (const { group, pids, before } of groups) cpuUs[group] = spentUs(before, threadTimes(pids));
    return {
      requests: times.length,
      before: hasFirst ? count : 0,
      seconds,
      latencyMs: latencyOf(times.map(({ ms }) => ms)),
      firstTokenMs: latencyOf(times.map(({ firstMs }) => firstMs)),
      cpuUs,
      ownCpuUs: user + system,
    };
  } finally {
    for (const connection of connections) connection.close();
  }
}

function latencyOf(times: number[]): Latency {
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

let open: { connections: LoadConnection[]; answers: Promise<unknown>[] } | undefined;

async function openStreams(call: Call, count: number): Promise<number> {
  const connections = await connect(call, count);
  const answers: Promise<unknown>[] = [];
  for (let first = 0; first < count; first += OPENED_AT_ONCE) {
    const some = connections.slice(first, first + OPENED_AT_ONCE);
    const asked = some.map((connection) => connection.ask());
    for (const one of asked) one.catch(() => undefined);
    answers.push(...asked);
    await Promise.all(some.map((connection) => connection.firstToken()));
  }
  open = { connections, answers };
  return count;
}

async function finishStreams(): Promise<number> {
  const { connections, answers } = open ?? { connections: [], answers: [] };
  open = undefined;
  try {
    await Promise.all(answers);
  } finally {
    for (const connection of connections) connection.close();
  }
  return connections.length;
}

async function obey(command: LoadCommand): Promise<LoadReply> {
  switch (command.do) {
    case 'load':
      return { report: await load(command) };
    case 'open':
      return { opened: await openStreams(command.call, command.connections) };
    case 'finish':
      return { finished: await finishStreams() };
  }
}

const reply = (message: LoadReply) => process.send?.(message);
process.on('message', (command: LoadCommand) => {
  obey(command).then(reply, (error: Error) => reply({ failed: error.message }));
});
process.on('disconnect', () => process.exit(0));
process.on('SIGINT', () => undefined);
reply({ isUp: true });
