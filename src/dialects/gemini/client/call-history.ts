// Ids of the calls in a history. Many clients leave them out, and answer calls by the name of the function, in their order.

import { CallIds } from '../../translate/tools/call-ids.ts';

export class CallHistory {
  readonly #ids = new CallIds();
  /** Ids of calls without an answer, by the function's name. */
  readonly #open = new Map<string, string[]>();

  add(id: string | undefined, name: string): string {
    const own = this.#ids.add(id ?? `call_${name}`);
    const open = this.#open.get(name) ?? [];
    open.push(own);
    this.#open.set(name, open);
    return own;
  }

  find(id: string | undefined, name: string): string {
    const open = this.#open.get(name) ?? [];
    const named = id === undefined ? undefined : this.#ids.find(id);
    const index = named === undefined ? 0 : open.indexOf(named);
    const [found] = open.splice(Math.max(index, 0), 1);
    return index < 0 ? (named ?? '') : (found ?? named ?? `call_${name}`);
  }
}
