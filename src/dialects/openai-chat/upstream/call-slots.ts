// Finds the call that a delta of a chat stream belongs to. By the specification each call has an index and sends its id once.
// Upstreams omit the index, give all calls index 0, repeat the id, give two calls the same id, make up an id for every delta, or
// send the name in parts, each alone or with all before it. Where only their order distinguishes deltas, the result is checked:
// the arguments of two calls are never joined.

import { tryParseJson } from '../../../kit/json/json.ts';
import type { CallDelta } from './read-delta.ts';

export interface CallSlot {
  /** In order of appearance, from 0. */
  ordinal: number;
  /** As the upstream says it; undefined if it has none, or another call's. */
  id: string | undefined;
  name: string | undefined;
  /** Everything so far. */
  arguments: string;
}

interface CallSlots {
  /** These deltas of calls follow together. */
  next(deltas: readonly CallDelta[]): void;
  /** The call of the delta, with the delta added; undefined if it may belong to several. */
  take(delta: CallDelta, position: number): CallSlot | undefined;
  /** Deltas that had only their order have made no whole arguments: they may be of several calls. `isCut`: more was to come. */
  isMixed(isCut: boolean): boolean;
  /** More of its name may come: it has no arguments yet, and there is no such tool. */
  isBegun(slot: CallSlot): boolean;
}

export function createCallSlots(knowsTool: (name: string) => boolean = () => true): CallSlots {
  const byId = new Map<string, CallSlot>();
  const byIndex = new Map<number, CallSlot>();
  const all: CallSlot[] = [];
  /** Indices that stood for several calls, and so for none. */
  const shared = new Set<number>();
  /** Calls that began together, before the deltas that are read; the newest last. */
  const groups: CallSlot[][] = [];
  let fresh: CallSlot[] = [];
  /** What each began with, where it has one. */
  const indices = new Map<CallSlot, number | undefined>();
  /** Deltas of those that follow together that have no name: how many there are with each index, or none, and were read. */
  let bare = new Map<number | undefined, { deltas: number; read: number }>();
  /** Those that have a delta by its order alone, beside other calls. */
  const guessed = new Set<CallSlot>();
  /** Calls with several named deltas, and nothing else that distinguishes them from another call of the same tool. */
  const renamed = new Set<CallSlot>();

  const isBegun = ({ name, arguments: text }: CallSlot) => name !== undefined && text === '' && !knowsTool(name);

  /** Whether the delta continues the name of the call in its place. */
  function continuesName({ id, index, name }: CallDelta, slot: CallSlot): boolean {
    if (id !== undefined && id !== slot.id) return false;
    if (index === undefined || name === undefined || name === slot.name) return false;
    return isBegun(slot) && (!knowsTool(name) || repeats(name, slot));
  }

  /** Whether the name has what is known of it in itself. */
  function repeats(name: string, slot: CallSlot): boolean {
    return slot.name !== undefined && name.startsWith(slot.name) && !knowsTool(slot.name + name);
  }

  function nameOf(delta: CallDelta, slot: CallSlot): string | undefined {
    if (delta.name === undefined || !continuesName(delta, slot)) return slot.name ?? delta.name;
    return repeats(delta.name, slot) ? delta.name : `${slot.name}${delta.name}`;
  }

  /** Calls that began together go on together, all or the last ones; a single delta goes on with the last that began alone. */
  function findByOrder({ index, name }: CallDelta, position: number): CallSlot | undefined {
    if (name !== undefined) {
      const begun = all.findLast((slot) => slot.name === name && slot.arguments !== '' && !isWhole(slot.arguments));
      return begun ?? byIndex.get(index ?? position);
    }
    return findBare(index);
  }

  /** An index that several calls share still distinguishes them from all others. */
  function findBare(index: number | undefined): CallSlot | undefined {
    const together = bare.get(index) ?? { deltas: 1, read: 0 };
    const place = together.read++;
    const ofIndex = (slots: readonly CallSlot[]) =>
      slots.filter((slot) => index === undefined || indices.get(slot) === index);
    const known = ofIndex(all);
    if (known.length === 1) return known[0];
    const newest = groups.map(ofIndex).findLast(({ length }) => length > 0) ?? [];
    return [newest, known].find(({ length }) => length === together.deltas)?.[place];
  }

  /** Whether only its order assigns the delta to a call. */
  const isOrdered = ({ index }: CallDelta) => index === undefined || shared.has(index);

  function find(delta: CallDelta, position: number): CallSlot | undefined {
    const { id, index, name } = delta;
    const known = id === undefined ? undefined : byId.get(id);
    if (index === undefined && known) return known;
    const placed = isOrdered(delta) ? findByOrder(delta, position) : byIndex.get(index ?? position);
    // An index of its own makes a call of its own, even under an id that another one has.
    if (index !== undefined && !placed) return name === undefined ? known : undefined;
    if (known && known !== placed && placed?.id !== undefined) return known;
    return placed && begins(delta, placed) && !continuesName(delta, placed) ? undefined : placed;
  }

  function begin(): CallSlot {
    const slot = { ordinal: all.length, id: undefined, name: undefined, arguments: '' };
    all.push(slot);
    fresh.push(slot);
    return slot;
  }

  function mark(delta: CallDelta, slot: CallSlot): void {
    if (!isOrdered(delta) || (delta.id !== undefined && delta.id === slot.id)) return;
    if (all.length > 1) guessed.add(slot);
    if (delta.name !== undefined && slot.name !== undefined) renamed.add(slot);
  }

  function place(delta: CallDelta, position: number, slot: CallSlot): void {
    const at = delta.index ?? position;
    const before = byIndex.get(at);
    if (delta.index !== undefined && before && before !== slot) shared.add(at);
    byIndex.set(at, slot);
  }

  return {
    next(deltas) {
      if (fresh.length > 0) groups.push(fresh);
      fresh = [];
      const unnamed = deltas.filter(({ name }) => name === undefined);
      bare = new Map(unnamed.map(({ index }) => [index, { deltas: countOf(unnamed, index), read: 0 }]));
    },
    take(delta, position) {
      const found = find(delta, position);
      if (!found && delta.name === undefined && isOrdered(delta) && groups.length > 0) return undefined;
      if (found) mark(delta, found);
      const slot = found ?? begin();
      if (!found) indices.set(slot, delta.index);
      place(delta, position, slot);
      if (delta.id !== undefined && !byId.has(delta.id)) {
        slot.id ??= delta.id;
        byId.set(delta.id, slot);
      }
      slot.name = nameOf(delta, slot);
      slot.arguments += delta.arguments;
      return slot;
    },
    isMixed(isCut) {
      if (guessed.size + renamed.size === 0) return false;
      // In a truncated answer a call without arguments may be complete.
      const isTorn = ({ arguments: text }: CallSlot) => !(isCut && text === '') && tryParseJson(text) === undefined;
      const torn = all.filter(isTorn);
      const isDoubtful = (slot: CallSlot) => (guessed.has(slot) && torn.length > 1) || (renamed.has(slot) && !isCut);
      return torn.some((slot) => slot.arguments.trim() !== '' && isDoubtful(slot));
    },
    isBegun,
  };
}

function countOf(deltas: readonly CallDelta[], index: number | undefined): number {
  return deltas.filter((delta) => delta.index === index).length;
}

/** Whether the delta is the first of another call, in the same place. One that names no tool never is. */
function begins({ id, name, arguments: text }: CallDelta, slot: CallSlot): boolean {
  if (name === undefined || slot.name === undefined) return false;
  if (id !== undefined && slot.id !== undefined) return id !== slot.id;
  return name !== slot.name || (text !== '' && isWhole(slot.arguments));
}

function isWhole(json: string): boolean {
  return json.endsWith('}') && tryParseJson(json) !== undefined;
}
