// Reduces an upstream's refusal to what a client may know: the cleaned message and the parameter of a known error
// envelope.

import { isObject, type Json, type JsonObject, objectsOf, tryParseJson } from '../kit/json/json.ts';
import { cleanText } from './clean-text.ts';

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
    isAboutKey: isAboutKey(error, google.reason),
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
  if (Array.isArray(metadata.reasons) || typeof metadata.flagged_input === 'string') return true;
  const within = errorWithin(metadata);
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

/** The details of a Google error. `reason`: such as `API_KEY_INVALID`; set by the vendor, never by the caller. */
function readGoogleDetails(details: Json | undefined) {
  const find = (type: string) =>
    objectsOf(details).find((detail) => detail['@type'] === `type.googleapis.com/google.rpc.${type}`);
  const reason = find('ErrorInfo')?.reason;
  // In seconds: `45.8379s`.
  const delay = find('RetryInfo')?.retryDelay;
  const isDuration = typeof delay === 'string' && /^\d{1,6}(\.\d{1,9})?s$/.test(delay);
  return {
    reason: typeof reason === 'string' ? reason : undefined,
    retryAfterS: isDuration ? Number.parseFloat(delay) : undefined,
  };
}

/** In codes, types and reasons, which callers cannot write. */
const KEY_CODES = new RegExp(
  [
    'auth',
    'api_?key',
    'credential',
    'permission',
    'access_?(denied|terminated|restricted)',
    'suspended|deactivated|disabled|expired|unpurchased|arrear|verif',
    'billing|insufficient|quota',
    'unsupported_country|request_forbidden|model_not_found',
  ].join('|'),
  'i',
);
/** At the start of a message, before anything that it may quote. */
const KEY_WORDS = new RegExp(
  `^(\\w+: )?[^"'\`“‘「:]{0,100}?\\b(${[
    'api[ _-]?keys?|(the|this|your) key|key (is|was|has|limit)',
    '(access|auth\\w*|bearer) tokens?|credentials?',
    'unauthori[sz]ed|not authori[sz]ed|authenticat\\w+|authori[sz]ation|permissions?',
    '(no|not have|without) access|access (is )?denied|access to (the|this) (model|resource|project|api)',
    'deactivated|suspended|terminated|disabled',
    'country|region|territory|ip address',
    'billing|credits?|balance|quota|subscription',
  ].join('|')})\\b`,
  'i',
);

/**
 * Whether an upstream's 403 concerns our key, account or credit, or the request. Content filters and firewalls also send 403,
 * and a prompt must not be able to close a channel: so only known codes and sentences of vendors count.
 */
function isAboutKey({ code, type, status, message, metadata }: JsonObject, reason: string | undefined): boolean {
  const isKeyCode = (one: unknown) => typeof one === 'string' && KEY_CODES.test(one);
  if ([code, type, status, reason].some(isKeyCode)) return true;
  return [message, errorWithin(metadata)?.message].some((said) => typeof said === 'string' && KEY_WORDS.test(said));
}

/** The error of an upstream behind OpenRouter. */
function errorWithin(metadata: Json | undefined): JsonObject | undefined {
  const raw = isObject(metadata) ? metadata.raw : undefined;
  return typeof raw === 'string' ? findError(tryParseJson(raw)) : undefined;
}

const MAX_SHOWN = 3;

/**
 * Finds the error object in an upstream's body: in one of a few fields, as an object or as text beside its code, as the whole
 * body, or as a list of faults. Other bodies contain no error.
 */
function findError(body: Json | undefined): JsonObject | undefined {
  // Google sends a list with one element.
  const document = Array.isArray(body) ? body[0] : body;
  if (!isObject(document)) return undefined;
  const { error, response, choices, code = null } = document;
  const [choice] = Array.isArray(choices) ? choices : [];
  const within = [error, isObject(response) && response.error, isObject(choice) && choice.error].find(isObject);
  if (within) return within;
  if (typeof error === 'string') return { code, message: error };
  const isError = document.type === 'error' || document.object === 'error';
  const listed = readListedFaults(isObject(document.message) && isError ? document.message.detail : document.detail);
  if (listed) return isError ? { ...document, ...listed } : listed;
  return isError ? document : undefined;
}

/** The field errors that FastAPI lists in `detail`, as one error with the first field; Mistral sends them. */
function readListedFaults(detail: Json | undefined): JsonObject | undefined {
  if (!Array.isArray(detail)) return undefined;
  const faults = detail.slice(0, MAX_SHOWN).flatMap(readFault);
  const [first] = faults;
  if (!first) return undefined;
  const message = faults.map(({ place, text }) => (place ? `${place}: ${text}` : text)).join('; ');
  return { message, param: first.place || null };
}

function readFault(fault: Json): { place: string; text: string }[] {
  if (!isObject(fault) || typeof fault.msg !== 'string') return [];
  return [{ place: placeOf(Array.isArray(fault.loc) ? fault.loc : []), text: fault.msg }];
}

function placeOf([first, ...rest]: readonly Json[]): string {
  const names = first === 'body' ? rest : [first, ...rest];
  return names.reduce<string>((place, name) => {
    if (typeof name === 'number') return `${place}[${name}]`;
    if (typeof name !== 'string') return place;
    return place ? `${place}.${name}` : name;
  }, '');
}
