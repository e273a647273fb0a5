// The query parameters that each page knows. Links of a page repeat only these: anything else in the address, perhaps a
// prompt, is dropped.

export const USAGE_FILTERS = ['from', 'to', 'model', 'channel', 'key', 'subtree', 'status'] as const;
export type UsageFilter = (typeof USAGE_FILTERS)[number];

const USAGE = [...USAGE_FILTERS, 'measure', 'by', 'sort', 'cursor', 'limit'];

/** By path; a page that is not listed knows none. */
const KNOWN: ReadonlyMap<string, readonly string[]> = new Map([
  ['/pricing', ['q', 'kind', 'feature', 'sort', 'order']],
  ['/docs', ['q']],
  ['/account/usage', USAGE],
  ['/account/usage.csv', USAGE],
  ['/account/keys', ['page', 'edit']],
  ['/account/refused', ['key']],
  ['/account/setup', ['client', 'model']],
  ['/account/play', ['model']],
]);

/** The query with what the page knows: empty, or with its question mark. A receipt keeps that of the list it was found in,
 * for the way back. */
export function knownQuery(path: string, query: string): string {
  const known = path.startsWith('/account/receipts/') ? USAGE : (KNOWN.get(path) ?? []);
  const kept = new URLSearchParams([...new URLSearchParams(query)].filter(([name]) => known.includes(name)));
  return kept.size === 0 ? '' : `?${kept}`;
}
