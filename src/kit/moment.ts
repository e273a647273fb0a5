// Parses a date, which is its midnight in Taipei, or an ISO 8601 time with its zone.

const WRITTEN = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2}))?$/;

/** Undefined for other text. */
export function parseMoment(text: string): number | undefined {
  const [, date, time = 'T00:00:00+08:00'] = WRITTEN.exec(text) ?? [];
  if (date === undefined || !isDay(date)) return undefined;
  const at = Date.parse(date + time);
  return Number.isNaN(at) ? undefined : at;
}

/** Refuses dates such as 30 February, which Date would roll over into March. */
function isDay(date: string): boolean {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date);
}
