// Media that a client only names, for upstreams that take them inside the request only.

import type { Conversation, MediaSource, Part } from '../translate/conversation.ts';

export interface NamedMedia {
  type: 'image' | 'document';
  url: string;
  at: string;
}

/** Fetched media by address. */
export type FetchedMedia = ReadonlyMap<string, { mediaType: string; data: string }>;

export function namedMedia({ turns }: Conversation, types: readonly NamedMedia['type'][]): NamedMedia[] {
  const named: NamedMedia[] = [];
  if (types.length > 0) for (const { parts } of turns) for (const part of parts) addNamed(part, types, named);
  return named;
}

function addNamed(part: Part, types: readonly NamedMedia['type'][], named: NamedMedia[]): void {
  if (part.type === 'tool_result') for (const inner of part.content) addNamed(inner, types, named);
  if (part.type !== 'image' && part.type !== 'document') return;
  if (part.source.kind === 'url' && types.includes(part.type))
    named.push({ type: part.type, url: part.source.url, at: part.at });
}

/** The conversation with everything that was fetched in its place. */
export function withMedia(conversation: Conversation, fetched: FetchedMedia): Conversation {
  if (fetched.size === 0) return conversation;
  const turns = conversation.turns.map((turn) => ({ ...turn, parts: turn.parts.map((part) => filled(part, fetched)) }));
  return { ...conversation, turns };
}

/** Placeholders for media that are not fetched yet, so that the rest of the request can be checked first. */
export function placeholders(named: readonly NamedMedia[]): FetchedMedia {
  return new Map(named.map(({ type, url }) => [url, type === 'document' ? EMPTY_PDF : EMPTY_PNG]));
}

const EMPTY_PNG = { mediaType: 'image/png', data: 'iVBORw0KGgo=' };
const EMPTY_PDF = { mediaType: 'application/pdf', data: 'JVBERi0=' };

function filled<Kind extends Part>(part: Kind, fetched: FetchedMedia): Kind {
  if (part.type === 'tool_result') {
    return { ...part, content: part.content.map((inner) => filled(inner, fetched)) };
  }
  if (part.type !== 'image' && part.type !== 'document') return part;
  return part.source.kind === 'url' ? { ...part, source: sourceOf(part.source.url, fetched) } : part;
}

function sourceOf(url: string, fetched: FetchedMedia): MediaSource {
  const media = fetched.get(url);
  return media ? { kind: 'base64', ...media } : { kind: 'url', url };
}
