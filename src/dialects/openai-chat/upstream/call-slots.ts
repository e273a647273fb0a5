// Finds the call that a delta of a chat stream belongs to. By the specification each call has an index and sends its id once.
// Upstreams omit the index, give all calls index 0, repeat the id, give two calls the same id, make up an id for every delta, or
// send the name in parts, each alone or with all before it. Where only their order distinguishes deltas, the result is checked:
// the arguments of two calls are never joined.

import { tryParseJson } from '../../../kit/json/json.ts';
import type { CallDelta } from './read-delta.ts';

export interface CallSlot {
  /** In order of appearance, from 0. */
  ordinal: number;
  /** The upstream's id; undefined if it has none, or that of another call. */
  id: string | undefined;
  name: string | undefined;
  /** Everything so far. */
  arguments: string;
}

export function createCallSlots(knowsTool: (name: string) => boolean = () => true) {
  const byId = new Map<string, CallSlot>();
  const byIndex = new Map<number, CallSlot>();
  const all: CallSlot[] = [];
  /** Indices that were used for several calls. */
  const shared = new Set<number>();
  /** Calls that began in the same chunk, for each chunk before this one. */
  const groups: CallSlot[][] = [];
  let newCalls: CallSlot[] = [];
  /** The index with which each call began, if it had one. */
  const indices = new Map<CallSlot, number | undefined>();
  /** The unnamed deltas of this chunk by index: how many there are, and how many were read. */
  let unnamedByIndex = new Map<number | undefined, { deltas: number; read: number }>();
  /** Calls with a delta that was assigned by its order alone, while there were other calls. */
  const guessed = new Set<CallSlot>();
  /** Calls with several named deltas, and nothing else that distinguishes them from another call of the same tool. */
  const renamed = new Set<CallSlot>();

  /** It has no arguments yet and no tool has its name, so that more of the name may follow. */
  const isNameIncomplete = ({ name, arguments: text }: CallSlot) =>
    name !== undefined && text === '' && !knowsTool(name);

  /** Whether the delta continues the name of the call in its place. */
  function continuesName({ id, index, name }: CallDelta, slot: CallSlot): boolean {
    if (id !== undefined && id !== slot.id) return false;
    if (index === undefined || name === undefined || name === slot.name) return false;
    return isNameIncomplete(slot) && (!knowsTool(name) || repeats(name, slot));
  }

  /** Whether the delta repeats the name from its beginning. */
  function repeats(name: string, slot: CallSlot): boolean {
    return slot.name !== undefined && name.startsWith(slot.name) && !knowsTool(slot.name + name);
  }

  function nameOf(delta: CallDelta, slot: CallSlot): string | undefined {
    if (delta.name === undefined || !continuesName(delta, slot)) return slot.name ?? delta.name;
    return repeats(delta.name, slot) ? delta.name : `${slot.name}${delta.name}`;
  }

  /** Calls that began in one chunk continue in one chunk; a single delta continues the last call that began alone. */
  function findByOrder({ index, name }: CallDelta, position: number): CallSlot | undefined {
    if (name !== undefined) {
      const begun = all.findLast((slot) => slot.name === name && slot.arguments !== '' && !isWhole(slot.arguments));
      return begun ?? byIndex.get(index ?? position);
    }
    return findByPosition(index);
  }

  /** An index that several calls share still distinguishes them from all others. */
  function findByPosition(index: number | undefined): CallSlot | undefined {
    const together = unnamedByIndex.get(index) ?? { deltas: 1, read: 0 };
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
    // A new index starts a new call, even if its id is that of another call.
    if (index !== undefined && !placed) return name === undefined ? known : undefined;
    if (known && known !== placed && placed?.id !== undefined) return known;
    return placed && startsNewCall(delta, placed) && !continuesName(delta, placed) ? undefined : placed;
  }

  function begin(): CallSlot {
    const slot = { ordinal: all.length, id: undefined, name: undefined, arguments: '' };
    all.push(slot);
    newCalls.push(slot);
    return slot;
  }

  function noteGuess(delta: CallDelta, slot: CallSlot): void {
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
    /** Call it before each chunk, with all its deltas of calls. */
    next(deltas: readonly CallDelta[]): void {
      if (newCalls.length > 0) groups.push(newCalls);
      newCalls = [];
      const unnamed = deltas.filter(({ name }) => name === undefined);
      unnamedByIndex = new Map(unnamed.map(({ index }) => [index, { deltas: countOf(unnamed, index), read: 0 }]));
    },
    /** The call of the delta, with the delta added; undefined if it may belong to several. */
    take(delta: CallDelta, position: number): CallSlot | undefined {
      const found = find(delta, position);
      if (!found && delta.name === undefined && isOrdered(delta) && groups.length > 0) return undefined;
      if (found) noteGuess(delta, found);
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
    /** Whether deltas assigned by their order left incomplete arguments, so that calls may be mixed. `isCut`: the answer was truncated. */
    isMixed(isCut: boolean): boolean {
      if (guessed.size + renamed.size === 0) return false;
      // In a truncated answer a call without arguments may be complete.
      const isIncomplete = ({ arguments: text }: CallSlot) =>
        !(isCut && text === '') && tryParseJson(text) === undefined;
      const incomplete = all.filter(isIncomplete);
      const mayBeMixed = (slot: CallSlot) =>
        (guessed.has(slot) && incomplete.length > 1) || (renamed.has(slot) && !isCut);
      return incomplete.some((slot) => slot.arguments.trim() !== '' && mayBeMixed(slot));
    },
    isNameIncomplete,
  };
}

function countOf(deltas: readonly CallDelta[], index: number | undefined): number {
  return deltas.filter((delta) => delta.index === index).length;
}

/** Whether the delta starts another call with the same index. A delta without a name never does. */
function startsNewCall({ id, name, arguments: text }: CallDelta, slot: CallSlot): boolean {
  if (name === undefined || slot.name === undefined) return false;
  if (id !== undefined && slot.id !== undefined) return id !== slot.id;
  return name !== slot.name || (text !== '' && isWhole(slot.arguments));
}

function isWhole(json: string): boolean {
  return json.endsWith('}') && tryParseJson(json) !== undefined;
}
