// The closed table of every fault a client can see. docs/errors.md is generated from it, and a test keeps the two and
// the codes thrown in the source in agreement. The first sentence of every text says what to do: clients print it.

export interface FaultAction {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path below the service's public URL. */
  path: string;
  body?: Record<string, unknown>;
  why: string;
}

export interface FaultRow {
  status: number;
  /** When the Anthropic dialect has a status of its own for it. */
  anthropicStatus?: number;
  openaiType: string;
  anthropicType: string;
  text: string;
  /** May the same call succeed later without a change? */
  retryable: boolean;
  /** Sent as `x-should-retry` where clients must be told outright. */
  shouldRetry?: boolean;
  /** Seconds for `retry-after`; a thrown fault may carry a better figure, never above 55. */
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
export const USE_FREE: FaultAction = {
  method: 'POST',
  path: '/v1/chat/completions',
  body: { model: 'auto:free', messages: [{ role: 'user', content: '…' }] },
  why: 'auto:free works at NT$0',
};
export const LIST_MODELS: FaultAction = { method: 'GET', path: '/v1/models', why: 'see the models this key may use' };
export const SHOW_ME: FaultAction = { method: 'GET', path: '/api/me', why: 'see balance, limits and when they reset' };
const SHOW_CALLS: FaultAction = { method: 'GET', path: '/openapi.json', why: 'see every call of this service' };

const INVALID = { openaiType: 'invalid_request_error', anthropicType: 'invalid_request_error', retryable: false };
const NOT_FOUND = { openaiType: 'invalid_request_error', anthropicType: 'not_found_error', retryable: false };
const FORBIDDEN = { openaiType: 'permission_error', anthropicType: 'permission_error', retryable: false };
const BILLING = { openaiType: 'insufficient_quota', anthropicType: 'billing_error' };
const LIMITED = { openaiType: 'rate_limit_error', anthropicType: 'rate_limit_error' };
const SERVER = { openaiType: 'server_error', anthropicType: 'api_error' };

export const FAULTS = {
  invalid_request: { status: 400, ...INVALID, text: 'Correct the request and send it again.' },
  unsupported_endpoint: {
    status: 400,
    ...INVALID,
    text: 'Choose a model that serves this endpoint.',
    actions: [LIST_MODELS],
  },
  context_length_exceeded: {
    status: 400,
    ...INVALID,
    text: 'Shorten the prompt or choose a model with a larger context: prompt is too long.',
    actions: [LIST_MODELS],
  },
  content_rejected: {
    status: 400,
    ...INVALID,
    text: "Change the content of the request: the model's content policy refused it.",
  },
  card_code_malformed: {
    status: 400,
    ...INVALID,
    text: 'Check the card code and type it again: at least one character is wrong.',
  },
  invalid_api_key: {
    status: 401,
    openaiType: 'authentication_error',
    anthropicType: 'authentication_error',
    retryable: false,
    shouldRetry: false,
    // Claude Code shows its own "Please run /login" instead of a text that names the header of Anthropic's keys.
    text: 'Send a valid key (sk-svc-…) as "Authorization: Bearer …" or in the API-key header. The key sent is missing, malformed, unknown, revoked or expired.',
    actions: [REGISTER],
  },
  insufficient_balance: {
    status: 402,
    ...BILLING,
    retryable: false,
    shouldRetry: false,
    text: 'Redeem a prepaid card to add balance, or use the free model auto:free. The balance is too low for this request.',
  },
  key_budget_exceeded: {
    status: 402,
    ...BILLING,
    retryable: false,
    shouldRetry: false,
    text: "Lower max_tokens, raise this key's daily budget with a managing key, or wait for the next day in Taipei. What is left of this key's budget does not cover this request.",
  },
  balance_in_use: {
    status: 402,
    ...BILLING,
    retryable: true,
    shouldRetry: true,
    retryAfterS: 2,
    text: 'Try again in a moment, send fewer requests at once, or set a lower max_tokens on each. The balance, or the daily budget of this key, is held by requests that are still running.',
  },
  model_not_allowed: {
    status: 403,
    ...FORBIDDEN,
    text: "Use a model on this key's allow-list.",
    actions: [LIST_MODELS],
  },
  key_not_permitted: { status: 403, ...FORBIDDEN, text: 'Use a managing key of this account for this call.' },
  cross_site_refused: {
    status: 403,
    ...FORBIDDEN,
    text: 'Register from a program or from the account page: a web page of another site cannot register for its visitors.',
  },
  model_not_found: {
    status: 404,
    ...NOT_FOUND,
    text: 'Choose a model from the list: this one does not exist.',
    actions: [LIST_MODELS],
  },
  route_not_found: {
    status: 404,
    ...NOT_FOUND,
    text: 'Check the path: there is no such route.',
    actions: [SHOW_CALLS],
  },
  not_found: { status: 404, ...NOT_FOUND, text: 'Check the id: this account has no such object.' },
  card_not_redeemable: {
    status: 404,
    ...NOT_FOUND,
    text: 'Check the card with its seller: it cannot be redeemed.',
  },
  method_not_allowed: { status: 405, ...INVALID, text: 'Use one of the methods in the allow header.' },
  request_timeout: {
    status: 408,
    ...INVALID,
    retryable: true,
    text: 'Send the request again: its body came too slowly.',
  },
  last_key: {
    status: 409,
    ...INVALID,
    shouldRetry: false,
    text: 'Create another managing key first: this is the last one, and it must go on managing.',
  },
  request_too_large: {
    status: 413,
    openaiType: 'invalid_request_error',
    anthropicType: 'request_too_large',
    retryable: false,
    text: 'Send a smaller body.',
  },
  idempotency_key_reused: {
    status: 422,
    ...INVALID,
    text: 'Use a new Idempotency-Key: this one came before with another body.',
  },
  rate_limited: {
    status: 429,
    ...LIMITED,
    retryable: true,
    retryAfterS: 10,
    text: 'Slow down and try again: the limit of requests per minute is reached.',
  },
  free_minute_limit: {
    status: 429,
    ...LIMITED,
    retryable: true,
    retryAfterS: 10,
    text: 'Wait a moment or use a paid model: the free requests of this minute are used up.',
    actions: [SHOW_ME, LIST_MODELS],
  },
  too_many_in_flight: {
    status: 429,
    ...LIMITED,
    retryable: true,
    retryAfterS: 2,
    text: 'Wait for running requests to end: too many are in flight.',
  },
  auth_rate_limited: {
    status: 429,
    ...LIMITED,
    retryable: true,
    retryAfterS: 55,
    text: 'Send a valid key: too many bad keys came from this address.',
    actions: [REGISTER],
  },
  redeem_rate_limited: {
    status: 429,
    ...LIMITED,
    retryable: true,
    retryAfterS: 55,
    text: 'Wait before the next try: too many card codes were wrong.',
  },
  free_daily_limit: {
    status: 429,
    ...LIMITED,
    retryable: false,
    shouldRetry: false,
    text: 'Use a paid model or come back after midnight in Taipei: the free requests of today are used up.',
    actions: [LIST_MODELS, REDEEM, SHOW_ME],
  },
  registration_ip_limit: {
    status: 429,
    ...LIMITED,
    retryable: false,
    shouldRetry: false,
    text: 'Use a key you already have: this address, or the IPv6 network that it is in, has registered its accounts for the last 24 hours.',
  },
  registration_site_limit: {
    status: 429,
    ...LIMITED,
    retryable: false,
    shouldRetry: false,
    text: 'Come back after midnight in Taipei: the registrations of today are used up.',
  },
  internal_error: {
    status: 500,
    ...SERVER,
    retryable: true,
    text: 'Try again; if it happens again, report the request id. The fault is ours, and nothing was charged.',
  },
  upstream_failed: {
    status: 502,
    ...SERVER,
    retryable: true,
    retryAfterS: 5,
    text: 'Try again or choose another model: every channel of this model failed. Nothing was charged.',
    actions: [LIST_MODELS],
  },
  unavailable: {
    status: 503,
    anthropicStatus: 529,
    openaiType: 'server_error',
    anthropicType: 'overloaded_error',
    retryable: true,
    retryAfterS: 5,
    text: 'Try again shortly: the service cannot take this request right now. Nothing was charged.',
  },
  loop_detected: {
    status: 508,
    ...SERVER,
    retryable: false,
    shouldRetry: false,
    text: 'Check the channel configuration: this request came round to the gateway that sent it.',
  },
} as const satisfies Record<string, FaultRow>;

export type FaultCode = keyof typeof FAULTS;

export const FAULT_CODES = Object.keys(FAULTS) as FaultCode[];

export function faultRow(code: FaultCode): FaultRow {
  return FAULTS[code];
}
