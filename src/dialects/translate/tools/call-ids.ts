// Unique ids of the calls in a history: what we appended to them is removed, and duplicates get a new id.

import { untagToolId } from '../opaque.ts';

export class CallIds {
  readonly #taken = new Set<string>();
  readonly #times = new Map<string, number>();
  readonly #newest = new Map<string, string>();
  readonly #byName = new Map<string, string>();

  /** A unique id for a new call: some models count from zero in every turn. */
  add(tagged: string): string {
    const { id } = untagToolId(tagged);
    let own = id;
    let count = this.#times.get(id) ?? 1;
    while (this.#taken.has(own)) own = `${id}_${++count}`;
    this.#times.set(id, count);
    this.#taken.add(own);
    this.#newest.set(id, own);
    return own;
  }

  find(tagged: string): string {
    const { id } = untagToolId(tagged);
    return this.#newest.get(id) ?? id;
  }

  /** For a call without an id. */
  addWithoutId(name: string): string {
    const id = this.add(`call_${name}`);
    this.#byName.set(name, id);
    return id;
  }

  findByName(name: string): string {
    return this.#byName.get(name) ?? `call_${name}`;
  }
}
