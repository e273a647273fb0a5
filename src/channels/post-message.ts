// One POST to a receiver of webhooks. Customers choose where it goes, so it follows no redirect, connects only to an
// address that was checked, and reads nothing of the response but its status.

import { allowedAddress, bareHost, guardedRequest, type HostRules } from './public-host.ts';
import type { Fetch } from './upstream.ts';

interface Message {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Resolves with the status. Rejects with PostRefused if nothing may be sent there. */
export type Post = (message: Message, signal: AbortSignal) => Promise<number>;

/** With a reason of our own that may be shown. */
export class PostRefused extends Error {
  override name = 'PostRefused';
}

export interface PostRules extends HostRules {
  allowsHttp: boolean;
}

/** For addresses that customers choose. */
export function createGuardedPost(rules: PostRules): Post {
  return async ({ url: text, headers, body }, signal) => {
    const url = new URL(text);
    const isSecure = url.protocol === 'https:';
    if (!isSecure && !rules.allowsHttp) throw new PostRefused('only https addresses are called');
    const address = await allowedAddress(url, rules, signal);
    if (address === undefined) {
      throw new PostRefused('its host has no address, or one that is not on the public internet');
    }
    const { request: ask } = isSecure ? await import('node:https') : await import('node:http');
    return new Promise((resolve, reject) => {
      const request = guardedRequest(
        ask,
        url,
        {
          address,
          rules,
          signal,
          method: 'POST',
          headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
          ...(isSecure && address !== bareHost(url) ? { servername: url.hostname } : {}),
        },
        (response) => {
          resolve(response.statusCode ?? 0);
          request.destroy();
        },
        reject,
      );
      request.end(body);
    });
  };
}

/** For addresses that the operator chose: by way of the proxy, if there is one. */
export function createFetchPost(fetch: Fetch): Post {
  return async ({ url, headers, body }, signal) => {
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
    await response.body?.cancel();
    return response.status;
  };
}
