// Reads the details of a Google error: the reason, and how long to wait.

import { type Json, objectsOf } from '../../kit/json/json.ts';

interface GoogleDetails {
  /** Such as `API_KEY_INVALID`: set by the vendor, never by the caller. */
  reason: string | undefined;
  retryAfterS: number | undefined;
}

export function readGoogleDetails(details: Json | undefined): GoogleDetails {
  const find = (type: string) =>
    objectsOf(details).find((detail) => detail['@type'] === `type.googleapis.com/google.rpc.${type}`);
  const reason = find('ErrorInfo')?.reason;
  return {
    reason: typeof reason === 'string' ? reason : undefined,
    retryAfterS: readDuration(find('RetryInfo')?.retryDelay),
  };
}

/** In seconds: `45.8379s`. */
function readDuration(value: Json | undefined): number | undefined {
  return typeof value === 'string' && /^\d{1,6}(\.\d{1,9})?s$/.test(value) ? Number.parseFloat(value) : undefined;
}
