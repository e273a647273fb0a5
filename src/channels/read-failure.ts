// An upstream's refusal, reduced to what a client may know. From its body only the message and the parameter of the
// known error envelope pass, with URLs, hosts, ids and keys removed: what looks like one, and the upstream's own.

import { isObject, type Json, tryParseJson } from '../kit/json.ts';
import { readGoogleDetails } from './google-details.ts';

export interface UpstreamFailure {
  status: number;
  retryAfterS: number | undefined;
  code: string | undefined;
  message: string | undefined;
  param: string | undefined;
}

const MAX_BODY_CHARS = 64 * 1024;
const MAX_MESSAGE_CHARS = 400;

export function readFailure(
  status: number,
  headers: Headers,
  body: string,
  hidden: readonly string[] = [],
): UpstreamFailure {
  const parsed = body.length <= MAX_BODY_CHARS ? tryParseJson(body) : undefined;
  const error = errorObject(Array.isArray(parsed) ? parsed[0] : parsed);
  const google = readGoogleDetails(error.details);
  return {
    status,
    retryAfterS: readRetryAfter(headers.get('retry-after')) ?? google.retryAfterS,
    code: [error.code, error.type, google.reason, error.status].find((value) => typeof value === 'string'),
    message: typeof error.message === 'string' ? cleanText(error.message, hidden) : undefined,
    param: typeof error.param === 'string' && /^[\w.[\]]{1,80}$/.test(error.param) ? error.param : undefined,
  };
}

/** `hidden` must be ordered so that none hides a part of a later one. */
export function cleanText(text: string, hidden: readonly string[] = []): string {
  return hidden
    .reduce((shown, secret) => shown.replaceAll(secret, '[hidden]'), text)
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '[link]')
    .replace(/\b(?:[a-z0-9-]+\.)+(?:com|net|org|io|ai|dev|cloud|azure|internal|local|cn|tw)\b\S*/gi, '[host]')
    .replace(/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, '[host]')
    .replace(/\b(?:sk|pk|org|proj|req|acct|key|msg|chatcmpl|user|asst|file|cus)[-_][A-Za-z0-9_-]{4,}/g, '[id]')
    .replace(/\b[A-Za-z0-9_-]{24,}\b/g, '[id]')
    .slice(0, MAX_MESSAGE_CHARS);
}

function errorObject(body: Json | undefined): Record<string, Json | undefined> {
  if (!isObject(body)) return {};
  return isObject(body.error) ? body.error : {};
}

function readRetryAfter(text: string | null): number | undefined {
  if (text === null || !/^\d{1,6}(\.\d+)?$/.test(text.trim())) return undefined;
  return Number(text);
}
