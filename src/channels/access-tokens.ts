// Access tokens that a vendor gives for stored credentials. One is kept until shortly before its end, renewed while it
// still works, and asked for once at a time however many calls wait for it.

import type { Clock } from '../kit/clock.ts';
import { isObject, type Json, tryParseJson } from '../kit/json/json.ts';
import { readBoundedText } from './read-bounded-text.ts';
import type { Fetch } from './upstream.ts';
import { whileLive } from './while-live.ts';

/** How to ask for a token: a form, sent to the vendor's token address. */
interface TokenRequest {
  url: string;
  form: Readonly<Record<string, string>>;
}

export type AccessToken = { ok: true; token: string } | { ok: false; response: Response };

/** Stops waiting when the signal is aborted. A token that the vendor has `refused` is not given again. */
type NextToken = (signal?: AbortSignal | null, refused?: string) => Promise<AccessToken>;

/** The result of one request, shared by all callers that wait for it. */
type Asked = { ok: true; token: string } | Refused;

interface Refused {
  ok: false;
  status: 401 | 503;
  error: { type: string; message: string };
}

interface TokenTools {
  clock: Clock;
  fetch: Fetch;
  /** Signs or fills in what is sent; `now` in milliseconds. Throws if the credentials cannot be read. */
  request(now: number): TokenRequest;
}

/** A token is renewed in its last minutes, and no longer used in its last half minute. */
const RENEWED_MS = 5 * 60_000;
const UNUSED_MS = 30_000;
const TIMEOUT_MS = 10_000;
const DEFAULT_LIFE_S = 3_600;
/** Far above the size of any token. */
const MAX_ANSWER_BYTES = 64 * 1024;
const TOKEN = /^[\x21-\x7e]+$/;
const UNREADABLE: Refused = {
  ok: false,
  status: 401,
  error: { type: 'authentication_error', message: 'The private key of the stored credentials cannot be read.' },
};

export function createAccessTokens({ clock, fetch, request }: TokenTools): NextToken {
  let token: { text: string; endsAt: number } | undefined;
  let asked: Promise<Asked> | undefined;

  function prepare(): TokenRequest | undefined {
    try {
      return request(clock.now());
    } catch {
      return undefined;
    }
  }

  async function ask(): Promise<Asked> {
    const prepared = prepare();
    if (!prepared) return UNREADABLE;
    const timeout = new AbortController();
    const cancel = clock.after(TIMEOUT_MS, () => timeout.abort());
    try {
      const { url, form } = prepared;
      const startedAt = clock.monotonic();
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
        body: new URLSearchParams(form).toString(),
        signal: timeout.signal,
        redirect: 'manual',
      });
      const body = tryParseJson((await readBoundedText(response, MAX_ANSWER_BYTES)) ?? '');
      if (!isObject(body) || !isToken(body.access_token)) return refusedRequest(response.status, body);
      const lifeS = Number(body.expires_in) > 0 ? Number(body.expires_in) : DEFAULT_LIFE_S;
      token = { text: body.access_token, endsAt: startedAt + lifeS * 1_000 };
      return { ok: true, token: token.text };
    } finally {
      cancel();
    }
  }

  /** After a failure the next call asks again. */
  function askOnce(): Promise<Asked> {
    asked ??= ask().finally(() => {
      asked = undefined;
    });
    return asked;
  }

  return async (signal, refused) => {
    // Others may have renewed it meanwhile.
    if (token && token.text === refused) token = undefined;
    const left = token ? token.endsAt - clock.monotonic() : 0;
    if (!token || left <= UNUSED_MS) {
      const found = await (signal ? whileLive(askOnce(), signal) : askOnce());
      return found.ok ? found : { ok: false, response: refusalOf(found) };
    }
    // The token still works: no request waits for the next one, and a failure matters only when it is needed.
    if (left <= RENEWED_MS) askOnce().catch(() => {});
    return { ok: true, token: token.text };
  };
}

/**
 * Requests that carry the access token of their moment. If the vendor refuses it before its end, because it was revoked or a
 * clock is wrong, the request is sent again with a new one: this does not count as a failure of the channel.
 */
export function withAccessTokens(tools: TokenTools): Fetch {
  const nextToken = createAccessTokens(tools);
  return async (url, init) => {
    const send = (token: string) =>
      tools.fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } });
    const found = await nextToken(init.signal);
    if (!found.ok) return found.response;
    const response = await send(found.token);
    if (response.status !== 401) return response;
    await response.body?.cancel();
    const renewed = await nextToken(init.signal, found.token);
    return renewed.ok ? send(renewed.token) : renewed.response;
  };
}

/** One that a header can carry. */
function isToken(value: Json | undefined): value is string {
  return typeof value === 'string' && TOKEN.test(value);
}

/** Treated as a refusal by the upstream: 4xx as a refused key, everything else as an outage. */
function refusedRequest(status: number, body: unknown): Refused {
  const { error, error_description: text } = isObject(body) ? body : {};
  const isRefused = status >= 400 && status < 500 && status !== 429;
  const message = [text, error].find((part) => typeof part === 'string') ?? 'The vendor gave no access token.';
  return {
    ok: false,
    status: isRefused ? 401 : 503,
    error: { type: isRefused ? 'authentication_error' : 'api_error', message },
  };
}

/** A new response for each call, because a body can be read only once. */
function refusalOf({ status, error }: Refused): Response {
  return Response.json({ error }, { status });
}
