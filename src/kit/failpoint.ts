// Places where a test kills the process to check what survives. Without such a test they do nothing.

/** docs/reliability.md explains each. `inside-` an operation: it is decided or has begun, but is not durable yet. */
export const FAILPOINTS = [
  'key-checked',
  'inside-admit',
  'after-admit',
  'headers-received',
  'first-bytes',
  'mid-stream',
  'before-settle',
  'inside-settle',
  'after-settle',
  'inside-sweep',
  'inside-redeem',
  'inside-register',
  'inside-migration',
  'inside-posting',
  'inside-restore',
  'inside-move',
] as const;
export type Failpoint = (typeof FAILPOINTS)[number];

export interface KillOrder {
  at: Failpoint;
  /** The number of passes, of which the last one kills. */
  times: number;
}

let order: KillOrder | undefined;
let reached = 0;

/** `inside-settle`, or `inside-settle:3` for the third pass; undefined if it is neither. */
export function parseKillOrder(text: string): KillOrder | undefined {
  const [, name, times = '1'] = /^([a-z-]+)(?::([1-9]\d{0,5}))?$/.exec(text) ?? [];
  const at = FAILPOINTS.find((point) => point === name);
  return at && { at, times: Number(times) };
}

/** For this thread; each thread counts separately. */
export function armFailpoint(given: KillOrder | undefined): void {
  order = given;
  reached = 0;
}

export function failpoint(name: Failpoint | undefined): void {
  if (order === undefined || order.at !== name || ++reached < order.times) return;
  process.kill(process.pid, 'SIGKILL');
}
