// Keeps the input of a form that arrived after its session ended: the page that asks to sign in carries it, and the page of
// the form shows it again. It is stored nowhere else, neither on the server nor in an address.

import type { Context, Env, Hono } from 'hono';
import { requestUrl } from '../kit/request-url.ts';

/** The hidden field of a sign-in form. */
export const TYPED_FIELD = 'typed';

/** Which fields may be carried: those that never hold a secret. */
export interface KeptFields {
  has(name: string): boolean;
  /** A field that the page itself put into its form: it is carried only with others. */
  pages?: string;
  /** Longer encoded input is not carried, so that the sign-in is not refused for its size. */
  mostChars: number;
}

/** For the hidden field; empty if there is nothing to carry. */
export function keepTyped(form: URLSearchParams, fields: KeptFields): string {
  const kept = readTyped(String(form), fields);
  const text = String(kept);
  const isTyped = [...kept].some(([name, value]) => name !== fields.pages && value !== '');
  return isTyped && encodeURIComponent(text).length <= fields.mostChars ? text : '';
}

/** A form that was sent before signing in may have any content. */
export function readTyped(text: string | null, fields: KeptFields): URLSearchParams {
  return new URLSearchParams([...new URLSearchParams(text ?? '')].filter(([name]) => fields.has(name)));
}

export function createTypedBefore<Bindings extends Env>(app: Hono<Bindings>) {
  const typed = new WeakMap<Request, URLSearchParams>();
  return {
    /** For the page that shows it again; empty for every other request. */
    of: (request: Request) => typed.get(request) ?? new URLSearchParams(),
    /** The page at this path as who has this cookie gets it, with what was typed in its form. */
    async show(context: Context, path: string, form: URLSearchParams, cookie: string): Promise<Response> {
      const request = pageRequest(context.req.raw, path, cookie);
      typed.set(request, form);
      const response = await app.fetch(request, context.env);
      response.headers.append('set-cookie', cookie);
      return response;
    },
  };
}

/** The request that a browser would send after a redirect there. */
function pageRequest(sent: Request, path: string, cookie: string): Request {
  const headers = new Headers(sent.headers);
  for (const name of ['content-type', 'content-length', 'content-encoding', 'transfer-encoding']) headers.delete(name);
  const [pair = ''] = cookie.split(';');
  // The first of two cookies with one name is read.
  headers.set('cookie', [pair, headers.get('cookie') ?? ''].join('; '));
  return new Request(new URL(path, requestUrl(sent)), { headers });
}
