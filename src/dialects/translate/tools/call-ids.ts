// Unique ids of the calls in a history: what we appended to them is removed, and duplicates get a new id.

import { untagToolId } from '../opaque.ts';

export interface CallIds {
  /** An id of its own for a new call: some models count from zero in every turn. */
  add(id: string): string;
  find(id: string): string;
  addNameless(name: string): string;
  findByName(name: string): string;
}

export function createCallIds(): CallIds {
  const taken = new Set<string>();
  const times = new Map<string, number>();
  const newest = new Map<string, string>();
  const byName = new Map<string, string>();

  function add(tagged: string): string {
    const { id } = untagToolId(tagged);
    let own = id;
    let count = times.get(id) ?? 1;
    while (taken.has(own)) own = `${id}_${++count}`;
    times.set(id, count);
    taken.add(own);
    newest.set(id, own);
    return own;
  }

  return {
    add,
    find: (tagged) => newest.get(untagToolId(tagged).id) ?? untagToolId(tagged).id,
    addNameless(name) {
      const id = add(`call_${name}`);
      byName.set(name, id);
      return id;
    },
    findByName: (name) => byName.get(name) ?? `call_${name}`,
  };
}
