// Reduces an upstream's refusal to what a client may know: the cleaned message and the parameter of a known error
// envelope.

import { isObject, type Json, type JsonObject, tryParseJson } from '../../kit/json/json.ts';
import { cleanText } from './clean-text.ts';
import { findError } from './find-error.ts';
import { readGoogleDetails } from './google-details.ts';
import { isAboutKey } from './refused-key.ts';

export interface UpstreamFailure {
  status: number;
  retryAfterS: number | undefined;
  code: string | undefined;
  message: string | undefined;
  param: string | undefined;
  /** The upstream's moderation refused the content, whatever the status. */
  isFlagged: boolean;
  /** The refusal concerns our key, account or credit. */
  isAboutKey: boolean;
}

const MAX_BODY_CHARS = 64 * 1024;
/** A failed response repeats its request, so this is far more than an error needs. */
const MAX_EMBEDDED_CHARS = 8 * 1024 * 1024;
const NO_HEADERS = new Headers();
/** Kinds of error that always have status 400. */
const BAD_REQUESTS: ReadonlySet<Json | undefined> = new Set(['invalid_request_error', 'request_too_large']);
const FLAGGED_WORDS = /^Content violates usage guidelines\b/i;
const LONGEST_WAIT_S = 1_000_000;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

interface FailureContext {
  /** The upstream's own names and keys. */
  hidden: readonly string[];
  /** Required to read a `retry-after` date. */
  now?: number;
}

export function readFailure(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: string,
  { hidden, now }: FailureContext,
): UpstreamFailure {
  const parsed = body.length <= MAX_BODY_CHARS ? tryParseJson(body) : undefined;
  const error = findError(parsed) ?? {};
  const google = readGoogleDetails(error.details);
  return {
    status,
    retryAfterS: readRetryAfter(headers.get('retry-after'), now) ?? google.retryAfterS,
    code: [error.code, error.type, google.reason, error.status].find((value) => typeof value === 'string'),
    message: typeof error.message === 'string' ? cleanText(error.message, hidden) : undefined,
    param: typeof error.param === 'string' && /^[\w.[\]]{1,80}$/.test(error.param) ? error.param : undefined,
    isFlagged: isFlagged(error),
    isAboutKey: isAboutKey(error),
  };
}

/** Reads an error from a body or stream event with status 200; undefined if there is none. */
export function readFailureInBody(text: string, hidden: readonly string[]): UpstreamFailure | undefined {
  const error = text.length <= MAX_EMBEDDED_CHARS ? findError(tryParseJson(text)) : undefined;
  return error && readFailure({ status: statusOf(error), headers: NO_HEADERS }, JSON.stringify({ error }), { hidden });
}

/** The status that the error names, else 400 for kinds that always have it, else 200. */
function statusOf({ code, status, type }: JsonObject): number {
  const named = [code, status].map(Number).find((number) => number >= 400 && number < 600);
  const kind = typeof code === 'string' ? code : type;
  return named ?? (BAD_REQUESTS.has(kind) ? 400 : 200);
}

/** Moderation with the status of a refused key: OpenRouter lists its reasons, xAI writes one fixed sentence. */
function isFlagged({ message, metadata }: JsonObject): boolean {
  if (typeof message === 'string' && FLAGGED_WORDS.test(message)) return true;
  if (!isObject(metadata)) return false;
  const { reasons, flagged_input: input, raw } = metadata;
  if (Array.isArray(reasons) || typeof input === 'string') return true;
  const within = typeof raw === 'string' ? findError(tryParseJson(raw)) : undefined;
  return within !== undefined && isFlagged({ message: within.message ?? null });
}

/** Seconds or an HTTP date. */
function readRetryAfter(text: string | null, now: number | undefined): number | undefined {
  if (text === null) return undefined;
  if (/^\d+(\.\d+)?$/.test(text.trim())) return Math.min(Number(text), LONGEST_WAIT_S);
  if (now === undefined || !HTTP_DATE.test(text.trim())) return undefined;
  const seconds = (Date.parse(text) - now) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(0, seconds), LONGEST_WAIT_S);
}
