// How long to wait, for people: rounded up, so that it is never too short. `resets_at` has the exact time.

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;

export function describeWait(seconds: number): string {
  if (seconds <= 2 * MINUTE_S) return `${Math.ceil(seconds)} s`;
  return seconds <= 2 * HOUR_S ? `${Math.ceil(seconds / MINUTE_S)} min` : `${Math.ceil(seconds / HOUR_S)} h`;
}
