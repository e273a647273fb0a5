// What every page needs to know of the visitor and of the site.

import { requestUrl } from '../kit/request-url.ts';
import type { Assets } from './assets.ts';
import { chooseLanguage } from './language.ts';
import type { PageContext } from './page.tsx';
import { knownQuery } from './page-parameters.ts';
import { hasSessionCookie } from './session-cookie.ts';
import type { SiteTools } from './tools.ts';

export function pageContext(request: Request, tools: SiteTools, assets: Assets): PageContext {
  const { siteName, publicUrl, supportContact, termsUrl, privacyUrl } = tools;
  const { pathname, search } = requestUrl(request);
  // With two slashes in front a link to it would lead to another site.
  const path = pathname.replace(/^\/+/, '/');
  return {
    language: chooseLanguage(request),
    siteName,
    publicUrl,
    assets,
    path,
    query: knownQuery(path, search),
    supportContact,
    termsUrl,
    privacyUrl,
    isSignedIn: hasSessionCookie(request.headers, publicUrl),
  };
}
