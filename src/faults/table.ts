// The closed table of all faults that a client can see. docs/errors.md is generated from it, and a test compares both
// with the codes thrown in the source. Every text gives the cause first, then the remedy: SDKs show nothing else.

/** The placeholder in a text for the seconds of `retry-after`, such as `31 s`. */
export const WAIT = '{wait}';

export interface FaultAction {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path below the service's public URL. */
  path: string;
  body?: Record<string, unknown>;
  /** Beside that of the key. */
  headers?: Readonly<Record<string, string>> | undefined;
  why: string;
}

export interface FaultRow {
  status: number;
  /** Set if the Anthropic dialect has its own status for it. */
  anthropicStatus?: number;
  openaiType: string;
  anthropicType: string;
  text: string;
  /** May the same call succeed later without a change? */
  retryable: boolean;
  /** Sent as `x-should-retry` if clients would decide wrongly. */
  shouldRetry?: boolean;
  /** Seconds for `retry-after`; a thrown fault may set another value, never above 55. */
  retryAfterS?: number;
  actions?: readonly FaultAction[];
}

const REGISTER: FaultAction = {
  method: 'POST',
  path: '/api/agent/register',
  body: {},
  why: 'get a key with NT$1 of trial credit, no human needed',
};
export const REDEEM: FaultAction = {
  method: 'POST',
  path: '/api/redeem',
  body: { code: 'PC-…' },
  why: 'add balance from a prepaid card',
};
export const LIST_MODELS: FaultAction = { method: 'GET', path: '/v1/models', why: 'see the models this key may use' };
export const SHOW_ME: FaultAction = { method: 'GET', path: '/api/me', why: 'see balance, limits and when they reset' };
const SHOW_CALLS: FaultAction = { method: 'GET', path: '/openapi.json', why: 'see every call of this service' };

const INVALID = { openaiType: 'invalid_request_error', anthropicType: 'invalid_request_error' };
const UNKNOWN_CALLER = { openaiType: 'authentication_error', anthropicType: 'authentication_error' };
const NOT_FOUND = { openaiType: 'invalid_request_error', anthropicType: 'not_found_error' };
const TOO_LARGE = { openaiType: 'invalid_request_error', anthropicType: 'request_too_large' };
const FORBIDDEN = { openaiType: 'permission_error', anthropicType: 'permission_error' };
const BILLING = { openaiType: 'insufficient_quota', anthropicType: 'billing_error' };
const LIMITED = { openaiType: 'rate_limit_error', anthropicType: 'rate_limit_error' };
const SERVER = { openaiType: 'server_error', anthropicType: 'api_error' };
const OVERLOADED = { openaiType: 'server_error', anthropicType: 'overloaded_error' };

type OwnPart = Partial<FaultRow> & Pick<FaultRow, 'text'>;

/** Faults with one status. Those with a time to wait are retryable. */
function rows<Code extends string>(status: number, types: typeof INVALID, parts: Record<Code, string | OwnPart>) {
  const entries = Object.entries<string | OwnPart>(parts).map(([code, part]) => {
    const own = typeof part === 'string' ? { text: part } : part;
    return [code, { status, ...types, retryable: own.retryAfterS !== undefined, ...own } satisfies FaultRow];
  });
  return Object.fromEntries(entries) as Record<Code, FaultRow>;
}

export const FAULTS = {
  ...rows(400, INVALID, {
    invalid_request: 'The request is not valid. Correct it and send it again.',
    unsupported_endpoint: {
      text: 'This model does not serve this endpoint. Choose another model.',
      actions: [LIST_MODELS],
    },
    context_length_exceeded: {
      text: 'The prompt is too long for this model. Shorten it, or choose a model with a larger context.',
      actions: [LIST_MODELS],
    },
    content_rejected: "The model's content policy refused this request. Change its content.",
    card_code_malformed: 'At least one character of the card code is wrong. Check the code and enter it again.',
    previous_response_not_found:
      'This connection does not remember a response with this id. Send the whole conversation in input, without previous_response_id.',
    invalid_stream_id:
      'stream_id must have 1 to 256 characters, which are letters, digits, "_", "-" and ".". Change it, or leave it out.',
    websocket_stream_limit_reached:
      'This connection has had 32 different values of stream_id. Use one of them again, or open another connection.',
    websocket_connection_limit_reached:
      'This connection is 60 minutes old. Open a new one, and send the whole conversation there once.',
  }),
  ...rows(401, UNKNOWN_CALLER, {
    invalid_api_key: {
      shouldRetry: false,
      // Claude Code shows its own "Please run /login" instead of a text that names the header of Anthropic's keys.
      text: 'The key is missing, malformed, unknown, revoked or expired. Send a valid key (sk-svc-…) as "Authorization: Bearer …" or in the API-key header.',
      actions: [REGISTER],
    },
  }),
  ...rows(402, BILLING, {
    insufficient_balance: {
      shouldRetry: false,
      text: 'The balance is too low for this request. Redeem a prepaid card to add balance, or use the free model auto:free.',
    },
    key_budget_exceeded: {
      shouldRetry: false,
      text: 'A budget of this key, or of a key above it, does not cover this request. Lower max_tokens, raise the budget, or wait until it resets: a day or a month in Taipei.',
    },
    balance_in_use: {
      shouldRetry: true,
      retryAfterS: 2,
      text: `The balance, or a budget of this key or of a key above it, is held by running requests. Retry in ${WAIT}, send fewer requests at once, or set a lower max_tokens on each.`,
    },
  }),
  ...rows(403, FORBIDDEN, {
    model_not_allowed: { text: "This model is not on this key's allow-list. Use one that is.", actions: [LIST_MODELS] },
    key_not_permitted: 'This key cannot manage the account. Use a managing key for this call.',
    cross_site_refused:
      'A web page of another site cannot register for its visitors. Register from a program or from the account page.',
  }),
  ...rows(404, NOT_FOUND, {
    model_not_found: { text: 'This model does not exist. Choose one from the list of models.', actions: [LIST_MODELS] },
    route_not_found: { text: 'This path does not exist. Choose one of those in /openapi.json.', actions: [SHOW_CALLS] },
    not_found: 'This account has no object with this id. Check the id.',
    card_not_redeemable: 'This card cannot be redeemed. Check the code, or ask the seller of the card.',
  }),
  ...rows(405, INVALID, {
    method_not_allowed: 'This path does not support this method. Use one of the methods in the allow header.',
  }),
  ...rows(408, INVALID, {
    request_timeout: {
      retryable: true,
      text: 'The body of the request did not arrive in time. Send the request again.',
    },
  }),
  ...rows(409, INVALID, {
    last_key: {
      shouldRetry: false,
      text: 'This is the last managing key of the account. Create another managing key first.',
    },
    quote_expired: {
      shouldRetry: false,
      text: 'This quote is unknown or has expired. Get a new one, or send the request without x-svc-quote.',
    },
  }),
  ...rows(410, NOT_FOUND, {
    model_retired: {
      text: 'This model was retired. Use the model that replaces it, or choose one from the list of models.',
      actions: [LIST_MODELS],
    },
  }),
  ...rows(413, TOO_LARGE, { request_too_large: 'The body is too large. Send a smaller one.' }),
  ...rows(422, INVALID, {
    idempotency_key_reused: 'This Idempotency-Key was already used with another body. Use a new one.',
    quote_mismatch:
      'This quote is for another body, endpoint or account. Send exactly what was quoted, or get a new quote.',
  }),
  ...rows(429, LIMITED, {
    rate_limited: { retryAfterS: 10, text: `The limit of requests or tokens per minute is reached. Retry in ${WAIT}.` },
    free_minute_limit: {
      retryAfterS: 10,
      text: `Free requests for this minute are used up. Retry in ${WAIT}, or use a paid model.`,
      actions: [SHOW_ME, LIST_MODELS],
    },
    too_many_in_flight: {
      retryAfterS: 2,
      text: `Too many requests are running. Retry in ${WAIT}, when one of them may have ended.`,
    },
    auth_rate_limited: {
      retryAfterS: 55,
      text: `Too many invalid keys came from this address. Send a valid key, or retry in ${WAIT}.`,
      actions: [REGISTER],
    },
    redeem_rate_limited: { retryAfterS: 55, text: `Too many wrong card codes were sent. Retry in ${WAIT}.` },
    free_daily_limit: {
      shouldRetry: false,
      text: 'Free requests for today are used up. Use a paid model, or retry after midnight in Taipei.',
      actions: [LIST_MODELS, REDEEM, SHOW_ME],
    },
    registration_ip_limit: {
      shouldRetry: false,
      text: 'This address, or its IPv6 network, has reached its limit of new accounts for 24 hours. Use a key you already have.',
    },
    registration_site_limit: {
      shouldRetry: false,
      text: 'The registrations of today are used up. Retry after midnight in Taipei.',
    },
  }),
  ...rows(500, SERVER, {
    internal_error: {
      retryable: true,
      text: 'An internal error occurred. Nothing was charged. Retry; if it happens again, report the request id.',
    },
  }),
  ...rows(502, SERVER, {
    upstream_failed: {
      retryAfterS: 5,
      text: `Every channel of this model failed. Nothing was charged. Retry in ${WAIT}, or choose another model.`,
      actions: [LIST_MODELS],
    },
  }),
  ...rows(503, OVERLOADED, {
    unavailable: {
      anthropicStatus: 529,
      retryAfterS: 5,
      text: `The service is temporarily unavailable. Nothing was charged. Retry in ${WAIT}.`,
    },
  }),
  ...rows(508, SERVER, {
    loop_detected: {
      shouldRetry: false,
      text: 'Routing loop: this request came back to the gateway that sent it. Check the configuration of the channels.',
    },
  }),
};

export type FaultCode = keyof typeof FAULTS;

export const FAULT_CODES = Object.keys(FAULTS) as FaultCode[];

/** For descriptions of a fault that was not thrown. */
export function describedText({ text }: FaultRow): string {
  return text.replace(WAIT, 'N s');
}

export function faultRow(code: FaultCode): FaultRow {
  return FAULTS[code];
}
