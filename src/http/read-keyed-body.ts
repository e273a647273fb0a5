// The body of a call with a key, and the key as it is when the body is complete. That may be 30 s after the headers, and a
// key that was revoked, rotated or restricted meanwhile must not act as before.

import type { PresentedKey } from '../accounts/keys/authenticator.ts';
import { fault } from '../faults/fault.ts';
import type { Connection } from '../kit/connection.ts';
import type { JsonDocument } from '../kit/json/json.ts';
import type { HttpTools, KeyedExchange } from './exchange.ts';
import { parseBody, readBody } from './read-body.ts';

export interface KeyedBody {
  document: JsonDocument;
  /** The current key; use this one from here on. */
  key: PresentedKey;
}

type BodyTools = Pick<HttpTools, 'authenticator' | 'clock'>;

/** For small bodies. Throws `invalid_api_key` if the key is no longer valid, whatever the body says. */
export async function readKeyedJson(
  tools: BodyTools,
  exchange: KeyedExchange,
  maxBytes: number,
  parse: (body: Uint8Array) => JsonDocument,
): Promise<KeyedBody> {
  const body = await readBody(exchange.request, maxBytes, tools.clock);
  const key = requireKey(await tools.authenticator.revalidate(exchange.key));
  return { key, document: parse(body) };
}

/** Parses a small body, with its current key. */
export function parseKeyed(body: Uint8Array, found: PresentedKey | undefined): KeyedBody {
  const key = requireKey(found);
  return { key, document: parseBody(body) };
}

type Found = PresentedKey | undefined;

/**
 * If the check of the key must wait for the store, reads the client's address first: a bad key counts against it, and it is
 * unknown after the client has hung up. Most keys are checked without a wait.
 */
export function readPeerBeforeWait(found: Found | Promise<Found>, connection: Connection): Found | Promise<Found> {
  if (found instanceof Promise) connection.peer();
  return found;
}

export function requireKey(found: PresentedKey | undefined): PresentedKey {
  if (!found) throw fault('invalid_api_key');
  return found;
}
