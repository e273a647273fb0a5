// Which places of a prompt are marked for the cache: the last four, and never a long-lived one after a short-lived one,
// both of which the vendor refuses.

import type { CacheMark, Part, TextPart, Tool, Turn } from '../../translate/conversation.ts';

const MOST_MARKS = 4;

export type CacheMarks = ReadonlyMap<Tool | Part, CacheMark>;

/** In the order in which a prompt is cached. */
export function chooseMarks(tools: readonly Tool[], system: readonly TextPart[], turns: readonly Turn[]): CacheMarks {
  const places = [...tools, ...system, ...turns.flatMap(({ parts }) => parts)];
  const marked = places.flatMap((place): [Tool | Part, CacheMark][] => {
    const mark = markOf(place);
    return mark ? [[place, mark]] : [];
  });
  let hasShort = false;
  return new Map(
    marked.slice(-MOST_MARKS).map(([place, { ttl }]) => {
      hasShort ||= ttl === '5m';
      return [place, { ttl: hasShort ? '5m' : ttl }];
    }),
  );
}

function markOf(place: Tool | Part): CacheMark | undefined {
  if (!('type' in place)) return place.cache;
  if (place.type === 'reasoning') return undefined;
  // What is inside a result is cached with it.
  return (
    place.cache ?? (place.type === 'tool_result' ? place.content.findLast(({ cache }) => cache)?.cache : undefined)
  );
}

/** The member that marks a block; the short life is what a mark means by itself. */
export function cacheMember(mark: CacheMark | undefined): { cache_control?: { type: string; ttl?: string } } {
  if (!mark) return {};
  return { cache_control: { type: 'ephemeral', ...(mark.ttl === '1h' ? { ttl: '1h' } : {}) } };
}
