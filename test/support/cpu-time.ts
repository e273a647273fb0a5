// The time of the processor that work takes: unlike that of the clock, it does not grow with what else the machine does.

export function cpuMs(work: () => void): number {
  const since = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}
