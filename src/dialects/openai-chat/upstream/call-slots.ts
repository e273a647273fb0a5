// Which call a bit of a chat stream belongs to. By the book each call has an index and says its id once; upstreams leave
// out the index, count all calls as the first, repeat the id, give two calls the same, make up one for every bit, or tell
// the name in pieces, each alone or with all before it.

import { tryParseJson } from '../../../kit/json/json.ts';
import type { CallBit } from './read-delta.ts';

export interface CallSlot {
  /** In order of appearance, from 0. */
  ordinal: number;
  /** As the upstream says it; undefined if it has none, or another call's. */
  id: string | undefined;
  name: string | undefined;
  /** Everything so far. */
  arguments: string;
}

export interface CallSlots {
  /** The call that the bit belongs to, with the bit added. */
  take(bit: CallBit, position: number): CallSlot;
  /** More of its name may come: it has no arguments yet, and there is no such tool. */
  isBegun(slot: CallSlot): boolean;
}

export function createCallSlots(knowsTool: (name: string) => boolean = () => true): CallSlots {
  const byId = new Map<string, CallSlot>();
  const byIndex = new Map<number, CallSlot>();
  let count = 0;

  const isBegun = ({ name, arguments: text }: CallSlot) => name !== undefined && text === '' && !knowsTool(name);

  /** Whether the bit goes on with the name of the call in its place. */
  function goesOn({ id, index, name }: CallBit, slot: CallSlot): boolean {
    if (id !== undefined && id !== slot.id) return false;
    if (index === undefined || name === undefined || name === slot.name) return false;
    return isBegun(slot) && (!knowsTool(name) || repeats(name, slot));
  }

  /** Whether the name has what is known of it in itself. */
  function repeats(name: string, slot: CallSlot): boolean {
    return slot.name !== undefined && name.startsWith(slot.name) && !knowsTool(slot.name + name);
  }

  function nameOf(bit: CallBit, slot: CallSlot): string | undefined {
    if (bit.name === undefined || !goesOn(bit, slot)) return slot.name ?? bit.name;
    return repeats(bit.name, slot) ? bit.name : `${slot.name}${bit.name}`;
  }

  function find(bit: CallBit, position: number): CallSlot | undefined {
    const { id, index, name } = bit;
    const known = id === undefined ? undefined : byId.get(id);
    const placed = byIndex.get(index ?? position);
    if (index === undefined && known) return known;
    // An index of its own makes a call of its own, even under an id that another one has.
    if (index !== undefined && !placed) return name === undefined ? known : undefined;
    if (known && known !== placed && placed?.id !== undefined) return known;
    return placed && begins(bit, placed) && !goesOn(bit, placed) ? undefined : placed;
  }

  return {
    take(bit, position) {
      const slot = find(bit, position) ?? { ordinal: count++, id: undefined, name: undefined, arguments: '' };
      byIndex.set(bit.index ?? position, slot);
      if (bit.id !== undefined && !byId.has(bit.id)) {
        slot.id ??= bit.id;
        byId.set(bit.id, slot);
      }
      slot.name = nameOf(bit, slot);
      slot.arguments += bit.arguments;
      return slot;
    },
    isBegun,
  };
}

/** Whether the bit is the first of another call, in the same place. One that names no tool never is. */
function begins({ id, name, arguments: text }: CallBit, slot: CallSlot): boolean {
  if (name === undefined || slot.name === undefined) return false;
  if (id !== undefined && slot.id !== undefined) return id !== slot.id;
  return name !== slot.name || (text !== '' && isWhole(slot.arguments));
}

function isWhole(json: string): boolean {
  return json.endsWith('}') && tryParseJson(json) !== undefined;
}
