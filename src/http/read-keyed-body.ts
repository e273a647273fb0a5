// The body of a call with a key, and the key as it is when the body is complete. That may be 30 s after the headers, and a
// key that was revoked, rotated or restricted meanwhile must not act as before.

import type { PresentedKey } from '../accounts/keys/authenticator.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { type Form, type FormRules, readForm } from '../dialects/form/form.ts';
import { type Fault, fault } from '../faults/fault.ts';
import type { Connection } from '../kit/connection.ts';
import type { JsonDocument } from '../kit/json/json.ts';
import { isMultipart } from '../kit/multipart.ts';
import type { HttpTools, KeyedExchange } from './exchange.ts';
import { type BodyCapacity, parseBody, readBody } from './read-body.ts';

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

interface Counting {
  capacity: BodyCapacity;
  /** The same, and the work of a large body. */
  counted: BodyCapacity;
}

/**
 * The body of a call with files: a form, kept in memory only, and counted twice because it is written once more for the
 * upstream. Undefined if the call takes no files, or its body is not a form.
 */
export async function readFiles(
  tools: Pick<HttpTools, 'clock' | 'authenticator'>,
  { request, key }: KeyedExchange,
  { dialect }: { dialect: Dialect },
  { capacity, counted }: Counting,
): Promise<Form | undefined> {
  const { form: rules } = dialect.request;
  const type = request.headers.get('content-type');
  if (!rules || !isMultipart(type)) return undefined;
  const body = await readBody(request, rules.maxBytes, tools.clock, {
    grow(bytes) {
      counted.grow(bytes);
      capacity.grow(bytes);
    },
    reserve: () => false,
  });
  requireKey(await tools.authenticator.revalidate(key));
  return readForm(body, type, rules);
}

/** For a body in JSON where only a form can hold the file. */
export function needsForm({ files }: FormRules): Fault {
  const [name = 'file'] = Object.keys(files);
  return fault('invalid_request', {
    param: name,
    message: `${name} is missing. Send it as a file, in multipart/form-data.`,
  });
}
