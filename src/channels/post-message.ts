// One POST to a receiver of webhooks. Customers choose where it goes, so it follows no redirect, connects only to an
// address that was checked, and reads nothing of the response but its status.

import { allowedAddress, bareHost, type HostRules, lookupOf } from './public-host.ts';
import { rejectUnanswered } from './reject-unanswered.ts';
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
  /** Trusted certificate authorities; undefined: the default ones. */
  authorities?: string | undefined;
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
    // Loaded with the first message: they are expensive in memory at start.
    const { request: ask } = isSecure ? await import('node:https') : await import('node:http');
    return new Promise((resolve, reject) => {
      const request = ask(
        url,
        {
          method: 'POST',
          lookup: lookupOf(address),
          ...(isSecure && address !== bareHost(url) ? { servername: url.hostname } : {}),
          headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
          agent: false,
          ...(rules.authorities === undefined ? {} : { ca: rules.authorities }),
          signal,
        },
        (response) => {
          resolve(response.statusCode ?? 0);
          request.destroy();
        },
      );
      rejectUnanswered(request, reject);
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
