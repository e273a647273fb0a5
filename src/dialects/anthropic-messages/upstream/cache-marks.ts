// Chooses the places of a prompt to mark for the cache: those that the client marked, and, if it wants caching without saying
// where, those from which the next request goes on. At most four, and never a long-lived one after a short-lived one: both
// are refused by the vendor.

import type { CacheMark, Caching, Part, TextPart, Tool, Turn } from '../../translate/conversation.ts';

const MAX_MARKS = 4;

type Place = Tool | Part;

export type CacheMarks = ReadonlyMap<Place, CacheMark>;

interface Prompt {
  tools: readonly Tool[];
  system: readonly TextPart[];
  turns: readonly Turn[];
}

/** Without `caching`, only the places that the client marked. */
export function chooseMarks(prompt: Prompt, caching: Caching | undefined): CacheMarks {
  // In the order in which a prompt is cached.
  const places = [...prompt.tools, ...prompt.system, ...prompt.turns.flatMap(({ parts }) => parts)];
  const own = ownMarks(places);
  if (!caching || own.size === MAX_MARKS || (own.size > 0 && !caching.besideOwn)) return own;
  return addMarks(own, prompt, places, caching.mark);
}

/** The client's own marks; of more than four, the last. */
function ownMarks(places: readonly Place[]): CacheMarks {
  const marked: [Place, CacheMark][] = [];
  for (const place of places) {
    const mark = markOf(place);
    if (mark) marked.push([place, mark]);
  }
  let hasShort = false;
  return new Map(
    marked.slice(-MAX_MARKS).map(([place, { ttl }]) => {
      hasShort ||= ttl === '5m';
      return [place, { ttl: hasShort ? '5m' : ttl }];
    }),
  );
}

function markOf(place: Place): CacheMark | undefined {
  if (!('type' in place)) return place.cache;
  if (place.type === 'reasoning') return undefined;
  // The content of a result is cached with it.
  return (
    place.cache ?? (place.type === 'tool_result' ? place.content.findLast(({ cache }) => cache)?.cache : undefined)
  );
}

function addMarks(own: CacheMarks, prompt: Prompt, places: readonly Place[], mark: CacheMark): CacheMarks {
  const added = comingAgain(prompt).filter((place) => !own.has(place));
  const marks = new Map(own);
  for (const place of added.slice(0, MAX_MARKS - own.size)) {
    const index = places.indexOf(place);
    const hasOwn = (ttl: CacheMark['ttl'], beside: readonly Place[]) => beside.some((one) => own.get(one)?.ttl === ttl);
    // A prompt is written for the long life as far as its last such mark, so one more before that costs no more.
    if (hasOwn('1h', places.slice(index + 1))) marks.set(place, { ttl: '1h' });
    else marks.set(place, hasOwn('5m', places.slice(0, index)) ? { ttl: '5m' } : mark);
  }
  return marks;
}

/**
 * The most useful first: the end of this request, from which the next one continues; the end of the request before, because
 * the vendor searches its cache only twenty blocks back from a mark; then parts that conversations share. No answer is
 * marked, so there is no thought among them.
 */
function comingAgain({ tools, system, turns }: Prompt): Place[] {
  const last = turns.findLastIndex(isUsers);
  const before = turns.slice(0, Math.max(last, 0)).findLast(isUsers);
  const ends: (Place | undefined)[] = [turns[last]?.parts.at(-1), before?.parts.at(-1), system.at(-1), tools.at(-1)];
  return ends.filter((place) => place !== undefined);
}

function isUsers({ role }: Turn): boolean {
  return role === 'user';
}

/** The member that marks a block. Without a lifetime a mark means the short one. */
export function cacheMember(mark: CacheMark | undefined): { cache_control?: { type: string; ttl?: string } } {
  if (!mark) return {};
  return { cache_control: { type: 'ephemeral', ...(mark.ttl === '1h' ? { ttl: '1h' } : {}) } };
}
