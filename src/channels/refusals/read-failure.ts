// An upstream's refusal, reduced to what a client may know. From its body only the cleaned message and the parameter of
// the known error envelope pass.

import { tryParseJson } from '../../kit/json/json.ts';
import { cleanText } from './clean-text.ts';
import { findError } from './find-error.ts';
import { isFlagged } from './flagged-content.ts';
import { readGoogleDetails } from './google-details.ts';
import { isAboutKey } from './refused-key.ts';

export interface UpstreamFailure {
  status: number;
  retryAfterS: number | undefined;
  code: string | undefined;
  message: string | undefined;
  param: string | undefined;
  /** What the request says was found to be against the upstream's rules, whatever the status. */
  isFlagged: boolean;
  /** It speaks of our key, account or credit there. */
  isAboutKey: boolean;
}

const MAX_BODY_CHARS = 64 * 1024;
const LONGEST_WAIT_S = 1_000_000;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

interface FailureContext {
  /** Names and keys of the upstream's own. */
  hidden: readonly string[];
  /** Without it a wait that is told as a date is not known. */
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

/** Seconds, or a date of HTTP. */
function readRetryAfter(text: string | null, now: number | undefined): number | undefined {
  if (text === null) return undefined;
  if (/^\d+(\.\d+)?$/.test(text.trim())) return Math.min(Number(text), LONGEST_WAIT_S);
  if (now === undefined || !HTTP_DATE.test(text.trim())) return undefined;
  const seconds = (Date.parse(text) - now) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(0, seconds), LONGEST_WAIT_S);
}
