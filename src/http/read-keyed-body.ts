// The body of a call that has a key, together with the key as it is once all of the body is there: that may be half a minute
// after the headers were, and a key that was revoked, rotated or restricted meanwhile must not act as it was.

import { fault } from '../faults/fault.ts';
import type { PresentedKey } from '../keys/authenticator.ts';
import type { JsonDocument } from '../kit/json/json.ts';
import type { HttpTools, KeyedExchange } from './exchange.ts';
import { type BodyRoom, parseBody, parseOptionalBody, readBody } from './read-body.ts';

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
  room?: BodyRoom,
): Promise<KeyedBody> {
  return readBody(exchange.request, maxBytes, tools.clock, room).then((body) => keyedJson(tools, exchange, body));
}

/** The same of a body that is there. What needs no wait is answered without one. */
export function keyedJson(tools: Door, exchange: KeyedExchange, body: Uint8Array): KeyedBody | Promise<KeyedBody> {
  return withKey(tools, exchange, () => parseBody(body));
}

/** Like `readKeyedJson`, but an empty body means an empty object. */
export function readOptionalKeyedJson(tools: Door, exchange: KeyedExchange, maxBytes: number): Promise<KeyedBody> {
  return readBody(exchange.request, maxBytes, tools.clock).then((body) =>
    withKey(tools, exchange, () => parseOptionalBody(body)),
  );
}

type FoundKey = PresentedKey | undefined;
type Parse = (key: PresentedKey) => JsonDocument | Promise<JsonDocument>;

export function withKey(
  { authenticator }: Door,
  { key: before, connection }: KeyedExchange,
  parse: Parse,
): KeyedBody | Promise<KeyedBody> {
  const key = authenticator.again(before);
  if (!(key instanceof Promise)) return parseFor(key, parse);
  // Who hangs up before the key is found to be bad counts as well.
  connection.peer();
  return key.then((found) => parseFor(found, parse));
}

function parseFor(key: FoundKey, parse: Parse): KeyedBody | Promise<KeyedBody> {
  if (!key) throw fault('invalid_api_key');
  const document = parse(key);
  return document instanceof Promise ? document.then((parsed) => ({ document: parsed, key })) : { document, key };
}
