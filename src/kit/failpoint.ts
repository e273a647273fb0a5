// Places where a test kills the process to check what survives. Without such a test they do nothing.

/** K0 key checked; K1 inside the hold's commit; K2 hold committed, nothing sent; K3 upstream's headers in; K4 first bytes
 * out; K5 mid-stream; K6 upstream done, not settled; K7 inside the settle's commit; K8 settled, last bytes unsent;
 * K9 in the recovery sweep; K10 inside redeem; K11 inside register; K12 in a migration or backup;
 * K13 in a posting of the journal; K14 between the steps of a restore; K15 between those of
 * a move. */
export const FAILPOINTS = [
  'K0',
  'K1',
  'K2',
  'K3',
  'K4',
  'K5',
  'K6',
  'K7',
  'K8',
  'K9',
  'K10',
  'K11',
  'K12',
  'K13',
  'K14',
  'K15',
] as const;
export type Failpoint = (typeof FAILPOINTS)[number];

export interface KillOrder {
  at: Failpoint;
  /** The number of passes, of which the last one kills. */
  times: number;
}

let order: KillOrder | undefined;
let reached = 0;

/** `K7` or `K7:3`; undefined if it is neither. */
export function parseKillOrder(text: string): KillOrder | undefined {
  const [, name, times = '1'] = /^(K\d+)(?::([1-9]\d{0,5}))?$/.exec(text) ?? [];
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
