// The Idempotency-Key header: the same key with the same body gives the same result, once.

import { fault } from '../faults/fault.ts';
import type { BeginIdempotency, Idempotency } from '../kit/idempotency.ts';
import { text } from '../kit/shapes.ts';

const MAX_CHARS = 255;

export const idempotencyKey = (minChars: number) => ({
  'Idempotency-Key': text
    .min(minChars)
    .max(MAX_CHARS)
    .describe(
      'The same one with the same body, within 24 hours, gives the same result, whatever changed since; nothing happens twice.',
    ),
});

interface IdempotencyScope {
  /** The owner of the key: the account, or on register the client's address. */
  scope: string;
  /** Where anyone may call, a guessable key would hand one caller's result to another. */
  minChars: number;
}

export function readIdempotencyKey(
  begin: BeginIdempotency,
  request: Request,
  body: string,
  { scope, minChars }: IdempotencyScope,
): Idempotency | undefined {
  const key = request.headers.get('idempotency-key');
  if (key === null) return undefined;
  if (key.length < minChars || key.length > MAX_CHARS) {
    throw fault('invalid_request', {
      param: 'Idempotency-Key',
      message: `The Idempotency-Key must have ${minChars} to ${MAX_CHARS} characters. Send for example a random UUID.`,
    });
  }
  return begin(scope, key, body);
}
