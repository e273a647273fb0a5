// Counts by key, such as the running calls of each account: a key is forgotten when nothing of it is left.

export function addTo<Key>(counts: Map<Key, number>, key: Key, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
