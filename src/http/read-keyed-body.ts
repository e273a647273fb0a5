// The body of a call that has a key, together with the key as it is once all of the body is there: that may be half a minute
// after the headers were, and a key that was revoked, rotated or restricted meanwhile must not act as it was.

import type { PresentedKey } from '../accounts/keys/authenticator.ts';
import { fault } from '../faults/fault.ts';
import type { JsonDocument } from '../kit/json/json.ts';
import type { HttpTools, KeyedExchange } from './exchange.ts';
import { parseBody, readBody } from './read-body.ts';

export interface KeyedBody {
  document: JsonDocument;
  /** From here on this is the key that counts. */
  key: PresentedKey;
}

type Door = Pick<HttpTools, 'authenticator' | 'clock'>;

/** For small bodies. Throws `invalid_api_key` if the key is no longer valid, whatever the body says. */
export async function readKeyedJson(
  tools: Door,
  exchange: KeyedExchange,
  maxBytes: number,
  parse: (body: Uint8Array) => JsonDocument,
): Promise<KeyedBody> {
  const body = await readBody(exchange.request, maxBytes, tools.clock);
  const key = requireKey(await tools.authenticator.revalidate(exchange.key));
  return { key, document: parse(body) };
}

/** Of a small body, and its key as it is by now. */
export function parseKeyed(body: Uint8Array, found: PresentedKey | undefined): KeyedBody {
  const key = requireKey(found);
  return { key, document: parseBody(body) };
}

export function requireKey(found: PresentedKey | undefined): PresentedKey {
  if (!found) throw fault('invalid_api_key');
  return found;
}
