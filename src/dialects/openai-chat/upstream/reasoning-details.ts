// Reasoning of models behind a router, as a list of details: text that the vendor signed, or content that only the vendor
// can read. The list must be sent back unchanged, so clients of other dialects get it as one opaque text.

import { isObject, type JsonObject, tryParseJson } from '../../../kit/json/json.ts';
import { RawJson } from '../../../kit/json/raw-json.ts';
import type { Quirks } from '../../../vendors/quirks.ts';
import type { ReasoningPart } from '../../translate/conversation.ts';
import { REDACTED_DETAIL } from '../read-reasoning.ts';

/** `isStream`: a stream sends each detail in parts, with its type and index. */
export function createDetails({ isStream }: { isStream: boolean }) {
  let details: JsonObject[] = [];
  const latest = new Map<string, JsonObject>();

  function addDetail(segment: JsonObject): void {
    const slot = `${segment.type}/${segment.index}`;
    const known = isStream ? latest.get(slot) : undefined;
    if (known && isMore(known, segment)) {
      append(known, segment);
      return;
    }
    const begun = { ...segment };
    latest.set(slot, begun);
    details.push(begun);
  }

  return {
    add: (list: readonly JsonObject[]): void => list.forEach(addDetail),
    /** The details since the last call, as JSON; undefined without any. */
    take(): string | undefined {
      const taken = details;
      details = [];
      latest.clear();
      return taken.length > 0 ? JSON.stringify(taken) : undefined;
    },
  };
}

/** A signature ends its text, and what is sealed under another id is sealed apart. */
function isMore(known: JsonObject, { type, id, text }: JsonObject): boolean {
  if (type === REDACTED_DETAIL) return !known.id || !id || known.id === id;
  return !known.signature || !text;
}

const GROWING: ReadonlySet<string> = new Set(['text', 'summary', 'data']);

function append(known: JsonObject, segment: JsonObject): void {
  for (const [name, value] of Object.entries(segment)) {
    const before = known[name];
    const isGrowing = GROWING.has(name) && typeof before === 'string' && typeof value === 'string';
    if (value !== null) known[name] = isGrowing ? before + value : value;
  }
}

type Maker = { quirks: Quirks; origin: string };

/** Whether a thought bears details that this upstream made. */
export function hasOwnDetails({ opaque }: ReasoningPart, { quirks, origin }: Maker): boolean {
  if (!quirks.takesDetails || opaque?.origin !== origin) return false;
  const list = tryParseJson(opaque.value);
  return Array.isArray(list) && list.length > 0 && list.every(isObject);
}

/** The details of all thoughts of a turn as one list, each with the text it has. */
export function writeDetails(thoughts: readonly ReasoningPart[], maker: Maker): RawJson | undefined {
  const own = thoughts.filter((thought) => hasOwnDetails(thought, maker));
  const lists = own.map(({ opaque }) => (opaque?.value ?? '').trim().slice(1, -1));
  return lists.length > 0 ? new RawJson(`[${lists.join(',')}]`) : undefined;
}
