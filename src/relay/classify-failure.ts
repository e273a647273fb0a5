// Classifies an upstream's refusal by its status, its code and, where these do not decide, its text.

import type { UpstreamFailure } from '../channels/read-failure.ts';
import { isAboutNamed } from '../dialects/refused.ts';
import { fault, tooLongText } from '../faults/fault.ts';
import type { JsonObject } from '../kit/json/json.ts';
import { AttemptFailed } from './attempt-failed.ts';

const CONTEXT_CODES = /context_length|exceed_context_size|too_long|max_tokens_exceeded/i;
const CONTENT_CODES = /content_policy|content_filter|moderation|safety|invalid_prompt/i;
/** Some upstreams use one code for every bad request, and give the reason only in the message. */
const CONTEXT_WORDS = new RegExp(
  [
    'prompt is too long',
    'input is too long for requested model',
    'prompt exceeds max(imum)? length',
    'maximum context length',
    String.raw`maximum prompt length is \d+`,
    'exceeds? (the )?(available )?context (window|length|limit|size)',
    'request exceeded model token limit',
    String.raw`token count( \(\d+\))? exceeds the maximum`,
    'more than the max tokens limit',
    'range of input length should be',
  ].join('|'),
  'i',
);
const CONTENT_WORDS = /content (filter|polic|moderation)|usage polic(y|ies)/i;
const SEALED_CODE = 'invalid_encrypted_content';
/** Refusals of encrypted reasoning and of signed thoughts. */
const SEALED_WORDS = new RegExp(
  [
    String.raw`\bencrypted[ _]content\b.{0,200}\b(could not be|cannot be|was not|did not match|is invalid)\b`,
    String.raw`\binvalid \W?(signature|data)\W? in \W?(redacted_)?thinking\W? block`,
    String.raw`\bthinking\.signature: field required`,
    String.raw`\bthinking\b.{0,40}\bblocks in the latest assistant message cannot be modified`,
  ].join('|'),
  'i',
);
/** Sent with status 400 where other upstreams send 401. */
const KEY_CODES = new Set(['API_KEY_INVALID', 'API_KEY_SERVICE_BLOCKED']);
/**
 * Sent with status 400 where other upstreams send 402 or 403: our account there is empty or disabled. Only complete
 * sentences of the vendor match, and none about a field: a message may quote the client, which must not be able to open a
 * breaker.
 */
const EXHAUSTED_WORDS =
  /^(Your credit balance is too low|You have reached your specified API usage limits|API key (not valid|expired)|User location is not supported)\b/i;

/** OpenAI's message for an unverified account. It names the field that only verified accounts may use. */
const UNVERIFIED_WORDS = /^Your organization must be verified to \w+ /i;
/** OpenAI's code with status 429, although waiting does not help. Other upstreams use it with a Retry-After. */
const NO_CREDIT_CODE = 'insufficient_quota';

/**
 * `maySeal`: the upstream encrypts or signs reasoning; others may only quote such a message. `request`: the client's, which may name
 * things that the upstream does not have. `isOptional`: the upstream may lack the endpoint.
 */
export function classifyFailure(
  failure: UpstreamFailure,
  maySeal = false,
  request: JsonObject = {},
  isOptional = false,
): AttemptFailed {
  const { status, code = '', message = '', param, isFlagged, isAboutKey } = failure;
  // Before the key: a client must not be able to open a breaker.
  if (status === 403 && isFlagged) return rejected(param);
  if (status === 401 || status === 402 || (status === 403 && isAboutKey)) return new AttemptFailed('refused_our_key');
  if (KEY_CODES.has(code)) return new AttemptFailed('refused_our_key');
  if (status === 404 && isOptional) return notOffered();
  if (status === 404 && !isAboutNamed(message, request)) return new AttemptFailed('route_missing');
  if (status === 429) return tooMany(failure);
  // The channel points to this gateway, or to another that the call has passed.
  if (status === 508 && code === 'loop_detected') return new AttemptFailed('looped');
  if (status < 400 || status >= 500 || status === 408) return new AttemptFailed('upstream_error');
  if (status === 400 && isNotServed(failure)) return new AttemptFailed('exhausted');
  if (isTooLong(failure)) {
    const refusal = fault('context_length_exceeded', { param, message: tooLong(message) });
    return new AttemptFailed('request_refused', { refusal });
  }
  if (isRejected(failure)) return rejected(param);
  const shown = message ? `The upstream refused the request: ${message}` : undefined;
  // A firewall before the upstream refuses content without a message.
  const isWall = status === 403 && !message;
  const refusal = isWall ? fault('content_rejected') : fault('invalid_request', { param, message: shown });
  // Another channel may have the model, or no such firewall.
  const mayServeElsewhere = status === 404 || status === 403;
  return new AttemptFailed('request_refused', { refusal, isSealed: maySeal && isSealed(failure), mayServeElsewhere });
}

/** Customers choose the endpoint, so this must not open a breaker for the calls that the model does serve. */
function notOffered(): AttemptFailed {
  const refusal = fault('unsupported_endpoint', {
    param: 'model',
    hint: 'The upstream of this model lacks this endpoint.',
  });
  return new AttemptFailed('request_refused', { refusal, mayServeElsewhere: true });
}

/** Statuses of a bad request that are trusted in the body of an error sent with status 200. */
const BAD_REQUESTS: ReadonlySet<number> = new Set([400, 413, 422]);

/**
 * For an error sent with status 200. Undefined unless the request itself is at fault or we are rate limited: what it says
 * about our key or the route is not trusted, because that would open a breaker.
 */
export function classifyErrorIn200(failure: UpstreamFailure, maySeal: boolean): AttemptFailed | undefined {
  if (failure.status === 429) return tooMany(failure);
  const isSurelySealed = maySeal && isSealed(failure);
  if (!BAD_REQUESTS.has(failure.status) && !isTooLong(failure) && !isRejected(failure) && !isSurelySealed) {
    return undefined;
  }
  const failed = classifyFailure({ ...failure, status: 400 }, maySeal);
  return failed.outcome === 'refused_our_key' ? undefined : failed;
}

function tooMany({ code, retryAfterS }: UpstreamFailure): AttemptFailed {
  return code === NO_CREDIT_CODE && retryAfterS === undefined
    ? new AttemptFailed('exhausted')
    : new AttemptFailed('rate_limited', { retryAfterS });
}

function isNotServed({ message = '', param }: UpstreamFailure): boolean {
  return UNVERIFIED_WORDS.test(message) || (param === undefined && EXHAUSTED_WORDS.test(message));
}

function isTooLong({ code = '', message = '' }: UpstreamFailure): boolean {
  return CONTEXT_CODES.test(code) || CONTEXT_WORDS.test(message);
}

function rejected(param: string | undefined): AttemptFailed {
  return new AttemptFailed('request_refused', { refusal: fault('content_rejected', { param }) });
}

function isRejected({ code = '', message = '', isFlagged }: UpstreamFailure): boolean {
  return isFlagged || CONTENT_CODES.test(code) || CONTENT_WORDS.test(message);
}

function isSealed({ code = '', message = '' }: UpstreamFailure): boolean {
  return code === SEALED_CODE || SEALED_WORDS.test(message);
}

/** Messages differ, but if one has exactly two numbers, they are the limit and the size. Undefined otherwise. */
function tooLong(message: string): string | undefined {
  const [most, tokens, ...more] = [...new Set(message.match(/\d{3,}/g)?.map(Number))].sort((a, b) => a - b);
  return most === undefined || tokens === undefined || more.length > 0 ? undefined : tooLongText(tokens, most);
}
