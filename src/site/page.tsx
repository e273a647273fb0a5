/** @jsxImportSource hono/jsx */
// The frame of every page: head, navigation, foot. It works without a script; what scripts add is named by the page.

import type { Child } from 'hono/jsx';
import type { Assets } from './assets.ts';
import { type Language, wordsOf } from './language.ts';
import { LanguageSwitch } from './parts/language-switch.tsx';
import { Mark } from './parts/mark.tsx';
import { PublicHead } from './parts/public-head.tsx';
import { SupportLink } from './parts/support-link.tsx';

export interface PageContext {
  language: Language;
  siteName: string;
  publicUrl: string;
  assets: Assets;
  /** The path that is shown and what it knows of its query, for the language switch and for what is current. */
  path: string;
  query: string;
  isSignedIn: boolean;
  /** A mailto: or https: address, if the operator set one. */
  supportContact: string | undefined;
  /** Pages of the operator's own, if there are any. */
  termsUrl: string | undefined;
  privacyUrl: string | undefined;
}

export interface PageProps {
  context: PageContext;
  title: string;
  description?: string;
  /** Of a page that everybody may read: the languages it is written in. */
  languages?: readonly Language[];
  /** It shows what no other page will show again: the switch of language would lead away from it. */
  isShownOnce?: boolean;
  children?: Child;
}

export const MENU = ['pricing', 'docs', 'status', 'security'] as const;

export function Page({ context, title, description = '', languages, isShownOnce = false, children }: PageProps) {
  const { language, siteName, assets, path } = context;
  const words = wordsOf(language);
  const isIn = (root: string) => path === root || path.startsWith(`${root}/`);
  const current = (root: string) => (isIn(root) ? ({ 'aria-current': 'page' } as const) : {});
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{path === '/' ? `${siteName} · ${title}` : `${title} · ${siteName}`}</title>
        {description !== '' ? <meta name="description" content={description} /> : null}
        {languages ? (
          <PublicHead context={context} title={title} description={description} languages={languages} />
        ) : null}
        <link rel="stylesheet" href={assets.url('site.css')} />
        <link rel="icon" type="image/svg+xml" href={assets.url('mark.svg')} />
        <script src={assets.url('site.js')} defer />
      </head>
      <body>
        <a class="skip" href="#main">
          {words.frame.skip}
        </a>
        <header class="head">
          <div class="wrap">
            <a class="mark" href="/">
              <Mark />
              <span>{siteName}</span>
            </a>
            <nav aria-label={words.frame.menu}>
              {MENU.map((name) => (
                <a href={`/${name}`} {...current(`/${name}`)}>
                  {words.frame[name]}
                </a>
              ))}
              <a href="/account" {...current('/account')}>
                {context.isSignedIn ? words.frame.account : words.frame.signIn}
              </a>
            </nav>
            {isShownOnce ? null : <LanguageSwitch context={context} />}
          </div>
        </header>
        <main id="main">
          <div class="wrap">{children}</div>
        </main>
        <footer class="foot">
          <div class="wrap">
            <SupportLink context={context} />
            {context.termsUrl === undefined ? null : <a href={context.termsUrl}>{words.frame.terms}</a>}
            {context.privacyUrl === undefined ? null : <a href={context.privacyUrl}>{words.frame.privacy}</a>}
            <a href="/llms.txt">llms.txt</a>
            <a href="/openapi.json">openapi.json</a>
            <a href="/api/public/catalog">{words.frame.catalog}</a>
            <a href="/.well-known/security.txt">security.txt</a>
            <p>{words.frame.promise}</p>
          </div>
        </footer>
      </body>
    </html>
  );
}
