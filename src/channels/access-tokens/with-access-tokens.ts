// Requests that carry the access token of their moment. If the vendor refuses it before its end, because it was revoked or a
// clock is wrong, the request is sent again with a new one: this does not count as a failure of the channel.

import type { Fetch } from '../upstream.ts';
import { createAccessTokens, type TokenTools } from './access-tokens.ts';

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
