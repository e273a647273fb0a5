// Caches what is derived from the name of a model: every request needs it, and matching all patterns takes time.

/** Bounded, because catalogs change. */
const MAX_KNOWN = 1_000;

export function byModel<Found>(find: (model: string) => Found): (model: string) => Found {
  const known = new Map<string, { found: Found }>();
  return (model) => {
    let entry = known.get(model);
    if (!entry) {
      entry = { found: find(model) };
      if (known.size >= MAX_KNOWN) known.clear();
      known.set(model, entry);
    }
    return entry.found;
  };
}
