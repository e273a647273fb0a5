// The body of a call that has a key, together with the key as it is once all of the body is there: that may be half a minute
// after the headers were, and a key that was revoked, rotated or restricted meanwhile must not act as it was.

import type { PresentedKey } from '../accounts/keys/authenticator.ts';
import { fault } from '../faults/fault.ts';
import type { JsonDocument } from '../kit/json/json.ts';
import type { HttpTools, KeyedExchange } from './exchange.ts';
import { type BodyCapacity, parseBody, parseOptionalBody, readBody } from './read-body.ts';

export interface KeyedBody {
  document: JsonDocument;
  /** From here on this is the key that counts. */
  key: PresentedKey;
}

type Door = Pick<HttpTools, 'authenticator' | 'clock'>;

/** Throws `invalid_api_key` if the key is not good any more, whatever the body says. */
export function readKeyedJson(
  tools: Door,
  exchange: KeyedExchange,
  maxBytes: number,
  capacity?: BodyCapacity,
): Promise<KeyedBody> {
  return readBody(exchange.request, maxBytes, tools.clock, capacity).then((body) => keyedJson(tools, exchange, body));
}

/** The same of a body that is there. What needs no wait is answered without one. */
export function keyedJson(tools: Door, exchange: KeyedExchange, body: Uint8Array): KeyedBody | Promise<KeyedBody> {
  return withKey(tools, exchange, body, parseBody);
}

/** Like `readKeyedJson`, but an empty body means an empty object. */
export function readOptionalKeyedJson(tools: Door, exchange: KeyedExchange, maxBytes: number): Promise<KeyedBody> {
  return readBody(exchange.request, maxBytes, tools.clock).then((body) =>
    withKey(tools, exchange, body, parseOptionalBody),
  );
}

type FoundKey = PresentedKey | undefined;
type Parse<Body> = (body: Body, key: PresentedKey) => JsonDocument | Promise<JsonDocument>;

/** What `parse` makes of the body, once the key is known to be good still. */
export function withKey<Body>(
  { authenticator }: Door,
  { key: before }: KeyedExchange,
  body: Body,
  parse: Parse<Body>,
): KeyedBody | Promise<KeyedBody> {
  const key = authenticator.revalidate(before);
  if (!(key instanceof Promise)) return parseFor(key, body, parse);
  return parseOnceFound(key, body, parse);
}

async function parseOnceFound<Body>(key: Promise<FoundKey>, body: Body, parse: Parse<Body>): Promise<KeyedBody> {
  return parseFor(await key, body, parse);
}

function parseFor<Body>(key: FoundKey, body: Body, parse: Parse<Body>): KeyedBody | Promise<KeyedBody> {
  if (!key) throw fault('invalid_api_key');
  const document = parse(body, key);
  return document instanceof Promise ? onceParsed(document, key) : { document, key };
}

async function onceParsed(document: Promise<JsonDocument>, key: PresentedKey): Promise<KeyedBody> {
  return { document: await document, key };
}
