// Ids of calls. In a history they are made unique: what we appended to them is removed, and duplicates get a new id. In an
// answer, calls that have none or a duplicate one get one: the same answer gets the same ids, streamed or whole.

import { createHash } from 'node:crypto';
import type { Json } from '../../../kit/json/json.ts';
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

/** `ordinal`: which call of the answer it is, from 0. */
export function madeId(requestId: string, ordinal: number): string {
  return `call_${createHash('sha256').update(`${requestId}/${ordinal}`).digest('hex').slice(0, 24)}`;
}

/** The id of one call of an answer after the other. */
export function createGivenIds(requestId: string): (given: Json | undefined) => string {
  const taken = new Set<string>();
  let count = 0;
  return (given) => {
    const ordinal = count++;
    const isGood = typeof given === 'string' && given !== '' && !taken.has(given);
    const id = isGood ? given : madeId(requestId, ordinal);
    taken.add(id);
    return id;
  };
}
