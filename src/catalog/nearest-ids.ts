// Suggests ids: the closest few by edit distance, or those that contain the requested text.

const MAX_REQUESTED = 100;
const MAX_SUGGESTED = 3;

export function nearestIds(requested: string, ids: readonly string[]): string[] {
  const wanted = requested.toLowerCase().slice(0, MAX_REQUESTED);
  return ids
    .map((id) => {
      const edits = editDistance(wanted, id);
      return { id, edits, distance: id.includes(wanted) || wanted.includes(id) ? 1 : edits };
    })
    .filter(({ id, distance }) => distance <= maxEdits(wanted, id))
    .sort((a, b) => a.distance - b.distance || a.edits - b.edits)
    .slice(0, MAX_SUGGESTED)
    .map(({ id }) => id);
}

/** At most three edits; in a short name, half must match. */
function maxEdits(wanted: string, id: string): number {
  return Math.min(Math.max(3, id.length / 2), Math.ceil(Math.max(wanted.length, id.length) / 2));
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
