// What every page needs to know of the visitor and of the site.

import { requestUrl } from '../kit/request-url.ts';
import type { Assets } from './assets.ts';
import { chooseLanguage } from './language.ts';
import type { PageContext } from './page.tsx';
import { hasSessionCookie } from './session-cookie.ts';
import type { SiteTools } from './tools.ts';

export function pageContext(request: Request, { siteName, publicUrl }: SiteTools, assets: Assets): PageContext {
  const { pathname, search } = requestUrl(request);
  return {
    language: chooseLanguage(request),
    siteName,
    publicUrl,
    assets,
    // With two slashes in front a link to it would lead to another site.
    path: pathname.replace(/^\/+/, '/'),
    query: search,
    isSignedIn: hasSessionCookie(request.headers, publicUrl),
  };
}
