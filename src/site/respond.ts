// Responses of pages, all with the same headers: only our own scripts and styles run, no other site may frame a page, and
// private pages are not cached.

import { discoveryLinks } from '../kit/discovery-links.ts';
import { requestUrl } from '../kit/request-url.ts';
import { chooseLanguage, LANGUAGE_COOKIE, type Language, toLanguage } from './language.ts';

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
export const YEAR_S = 31_536_000;

interface PageOptions {
  status?: number;
  /** Belongs to one visitor. */
  isPrivate?: boolean;
}

export function pageResponse(request: Request, publicUrl: string, html: string, options: PageOptions = {}): Response {
  const chosen = toLanguage(requestUrl(request).searchParams.get('lang'));
  const headers = new Headers(textHeaders(publicUrl, chooseLanguage(request), 'text/html; charset=utf-8'));
  if (options.isPrivate) headers.set('cache-control', 'no-store');
  if (chosen) headers.append('set-cookie', languageCookie(chosen, publicUrl));
  return new Response(`<!doctype html>\n${html}`, { status: options.status ?? 200, headers });
}

function languageCookie(language: Language, publicUrl: string): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${LANGUAGE_COOKIE}=${language}; Path=/; Max-Age=${YEAR_S}; SameSite=Lax${secure}`;
}

/** The same facts for clients that did not ask for HTML, in the language of the text. */
export function textResponse(publicUrl: string, language: Language, text: string): Response {
  return new Response(text, { headers: textHeaders(publicUrl, language, 'text/markdown; charset=utf-8') });
}

/** Programs find the rest of the service from it, and web pages of other sites may read it. */
export function feedResponse(publicUrl: string, language: Language, type: string, text: string): Response {
  return new Response(text, {
    headers: {
      ...textHeaders(publicUrl, language, type),
      link: discoveryLinks(publicUrl),
      'access-control-allow-origin': '*',
    },
  });
}

function textHeaders(publicUrl: string, language: Language, type: string): Record<string, string> {
  return {
    'content-type': type,
    'content-language': language,
    'cache-control': 'no-cache',
    vary: 'accept, accept-language, cookie',
    ...pageHeaders(publicUrl),
  };
}

/** A table that a browser saves. */
export function fileResponse(publicUrl: string, name: string, csv: ReadableStream | string): Response {
  return new Response(csv, {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
      ...pageHeaders(publicUrl),
    },
  });
}

export function pageHeaders(publicUrl: string): Record<string, string> {
  return {
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    ...(publicUrl.startsWith('https:')
      ? { 'strict-transport-security': `max-age=${2 * YEAR_S}; includeSubDomains` }
      : {}),
  };
}

/** A program that does not ask for HTML gets text: pages are readable with curl. */
export function wantsHtml(request: Request): boolean {
  return (request.headers.get('accept') ?? '').includes('text/html');
}
