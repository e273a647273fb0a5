// Access tokens that a vendor gives for stored credentials. One is kept until shortly before its end, renewed while it
// still works, and asked for once at a time however many calls wait for it.

import type { Clock } from '../../kit/clock.ts';
import { isObject, tryParseJson } from '../../kit/json/json.ts';
import type { Fetch } from '../upstream.ts';

/** How to ask for a token: a form, sent to the vendor's token address. */
export interface TokenRequest {
  url: string;
  form: Readonly<Record<string, string>>;
}

export type AccessToken = { ok: true; token: string } | { ok: false; response: Response };

interface TokenTools {
  clock: Clock;
  fetch: Fetch;
  /** Signs or fills in what is sent; `now` in milliseconds. */
  request(now: number): Promise<TokenRequest> | TokenRequest;
}

/** A token is renewed in its last minutes, and no longer used in its last half minute. */
const RENEWED_MS = 5 * 60_000;
const UNUSED_MS = 30_000;
const TIMEOUT_MS = 10_000;
const DEFAULT_LIFE_S = 3_600;

export function createAccessTokens({ clock, fetch, request }: TokenTools): () => Promise<AccessToken> {
  let token: { text: string; endsAt: number } | undefined;
  let asked: Promise<AccessToken> | undefined;

  async function ask(): Promise<AccessToken> {
    const timeout = new AbortController();
    const cancel = clock.after(TIMEOUT_MS, () => timeout.abort());
    try {
      const { url, form } = await request(clock.now());
      const startedAt = clock.monotonic();
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
        body: new URLSearchParams(form).toString(),
        signal: timeout.signal,
        redirect: 'manual',
      });
      const body = tryParseJson(await response.text());
      if (!isObject(body) || typeof body.access_token !== 'string') return refused(response.status, body);
      const lifeS = Number(body.expires_in) > 0 ? Number(body.expires_in) : DEFAULT_LIFE_S;
      token = { text: body.access_token, endsAt: startedAt + lifeS * 1_000 };
      return { ok: true, token: token.text };
    } finally {
      cancel();
    }
  }

  /** What fails is asked for again with the next call. */
  function askOnce(): Promise<AccessToken> {
    asked ??= ask().finally(() => {
      asked = undefined;
    });
    return asked;
  }

  return () => {
    const left = token ? token.endsAt - clock.monotonic() : 0;
    if (!token || left <= UNUSED_MS) return askOnce();
    // The token still works: nobody waits for the next one, and a failure is seen when it is needed.
    if (left <= RENEWED_MS) askOnce().catch(() => {});
    return Promise.resolve({ ok: true, token: token.text });
  };
}

/** As if the upstream itself had refused the key: 4xx is about the credentials, all else is an outage. */
function refused(status: number, body: unknown): AccessToken {
  const { error, error_description: text } = isObject(body) ? body : {};
  const isRefused = status >= 400 && status < 500 && status !== 429;
  const message = [text, error].find((part) => typeof part === 'string') ?? 'The vendor gave no access token.';
  const said = { type: isRefused ? 'authentication_error' : 'api_error', message };
  const response = new Response(JSON.stringify({ error: said }), {
    status: isRefused ? 401 : 503,
    headers: { 'content-type': 'application/json' },
  });
  return { ok: false, response };
}
