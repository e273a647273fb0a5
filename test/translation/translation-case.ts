// One case of translation, as the files in cases/ tell it: what a client asks, what the upstream must then be sent, what it
// replies, and what the client must be told. A case stands for every pair of the clients and upstreams it names.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Told } from '../support/grammar/told.ts';
import type { Reply, Said } from './said.ts';
import { type ClientName, isTranslated, PAIRS, type UpstreamName } from './sides.ts';

type Fields = Readonly<Record<string, unknown>>;
type ByClient<Value> = Partial<Record<ClientName, Value>>;
type ByUpstream<Value> = Partial<Record<UpstreamName, Value>>;

/** Values by their place, such as `messages[0].content`; see `expected.ts` for what stands for a value. */
export type Expected = Readonly<Record<string, unknown>>;

export interface TranslationCase {
  name: string;
  /** Bodies; text is sent as it is, with `MODEL` for the model. Without: a plain question, by every client. */
  asks?: ByClient<Fields | string>;
  clients?: ClientName[];
  /** Where nothing below names them. */
  upstreams?: UpstreamName[];
  /** The model's name at the upstream. */
  model?: string;
  quirks?: string;
  prefill?: boolean;
  /** Further members of the model in the catalog. */
  catalog?: Fields;
  headers?: Readonly<Record<string, string>>;
  sends?: ByUpstream<Expected>;
  /** Slices that must stand in the upstream's request, to the byte. */
  sendsText?: ByUpstream<string[]>;
  /** Slices that must not stand there. */
  withholds?: string[];
  says?: Said;
  reply?: ByUpstream<Reply>;
  /** How many calls the upstream gets; 1 unless said otherwise. */
  calls?: number;
  /** The field that is refused, with 400. */
  refused?: ByClient<string>;
  status?: number;
  code?: string;
  dropped?: string[] | ByClient<string[]>;
  /** Of a whole answer: told with what is dropped, because the headers of a stream go out before. */
  loses?: string[];
  translated?: string[];
  told?: Partial<Told>;
  /** In nano-NT$: one for each token. */
  costs?: number;
  /** The same where an upstream's tokenizer makes more tokens of the same words. */
  costsAt?: ByUpstream<number>;
  /** Of the whole answer, or of the fault. */
  shows?: ByClient<Expected>;
  /** Slices of the whole answer. */
  showsText?: ByClient<string[]>;
  /** Slices that must not stand in any answer. */
  hides?: string[];
  /** What `x-svc-channel` says; the model's own channel unless said otherwise. */
  channel?: string;
  answerHeaders?: Readonly<Record<string, string>>;
  ways?: Way[];
}

export type Way = 'whole' | 'stream';

export interface CaseOfPair {
  case: TranslationCase;
  client: ClientName;
  upstream: UpstreamName;
}

const FOLDER = join(import.meta.dir, 'cases');

export function readCases(): Map<string, TranslationCase[]> {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
  return new Map(
    files.sort().map((name) => [name.slice(0, -5), JSON.parse(readFileSync(join(FOLDER, name), 'utf8'))] as const),
  );
}

export function pairsOf(one: TranslationCase): CaseOfPair[] {
  const clients = one.clients ?? keysOf(one.asks ?? one.refused ?? one.shows ?? one.showsText);
  const named = [one.sends, one.sendsText, one.reply].flatMap((part) => keysOf(part) ?? []);
  const upstreams = one.upstreams ?? (named.length > 0 ? named : undefined);
  return PAIRS.filter(([client]) => !clients || clients.includes(client))
    .filter(([client, upstream]) => isTranslated(client, upstream) && (!upstreams || upstreams.includes(upstream)))
    .map(([client, upstream]) => ({ case: one, client, upstream }));
}

function keysOf<Key extends string>(part: Partial<Record<Key, unknown>> | undefined): Key[] | undefined {
  return part && (Object.keys(part) as Key[]);
}
