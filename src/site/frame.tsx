/** @jsxImportSource hono/jsx */
// The frame of every page, on the site and in the console: head, navigation, foot, tabs and notices. It works without a
// script.

import type { Child } from 'hono/jsx';
import type { Assets } from './assets.ts';
import { LANGUAGES, type Language, wordsOf } from './language.ts';

/** Facts about the visitor and the page that every page has. */
export interface FrameContext {
  language: Language;
  siteName: string;
  /** Where customers find the site. */
  publicUrl: string;
  assets: Assets;
  /** The path that is shown and what it knows of its query, for the language switch and for what is current. */
  path: string;
  query: string;
  isSignedIn: boolean;
  /** The notice of the form before this page. */
  flash?: Notice | undefined;
}

interface FrameProps {
  context: FrameContext;
  title: string;
  head?: Child;
  /** Beside the style of every page. */
  style?: string;
  class?: string;
  name: Child;
  menu: Child;
  /** Actions at the end of the header. */
  action?: Child;
  foot: Child;
  /** It shows what no other page will show again: the switch of language would lead away from it. */
  isShownOnce?: boolean | undefined;
  children?: Child;
}

export function Frame({ context, title, head, style, name, menu, action, foot, children, ...props }: FrameProps) {
  const { language, assets } = context;
  const { frame } = wordsOf(language);
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        {head}
        <link rel="stylesheet" href={assets.url('site.css')} />
        {style ? <link rel="stylesheet" href={assets.url(style)} /> : null}
        <link rel="icon" type="image/svg+xml" href={assets.url('mark.svg')} />
        <script src={assets.url('site.js')} defer />
      </head>
      <body class={props.class}>
        <a class="skip" href="#main">
          {frame.skip}
        </a>
        <header class="head">
          <div class="wrap">
            <a class="mark" href="/">
              <svg viewBox="0 0 32 32" aria-hidden="true">
                <path d="M4 3h24a2 2 0 0 1 2 2v22a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2Zm3 5v16h3V11h4v13h4V11h4v13h3V8Z" />
              </svg>
              <span>{name}</span>
            </a>
            {menu ? <nav aria-label={frame.menu}>{menu}</nav> : null}
            {props.isShownOnce ? null : <LanguageSwitch context={context} />}
            {action}
          </div>
        </header>
        <main id="main">
          <div class="wrap">{children}</div>
        </main>
        <footer class="foot">
          <div class="wrap">{foot}</div>
        </footer>
      </body>
    </html>
  );
}

/** The same page in the other language. */
function LanguageSwitch({ context: { language, path, query } }: { context: FrameContext }) {
  const other = LANGUAGES.find((one) => one !== language) ?? 'en';
  const params = new URLSearchParams(query);
  params.set('lang', other);
  return (
    <a class="language" href={`${path}?${params}`} lang={other} hreflang={other} data-keep-code>
      {wordsOf(other).frame.name}
    </a>
  );
}

export interface Link {
  path: string;
  text: Child;
}

interface LinksProps {
  links: readonly Link[];
  current: string | undefined;
}

export function Links({ links, current }: LinksProps) {
  return links.map(({ path, text }) => (
    <a href={path} {...(path === current ? { 'aria-current': 'page' as const } : {})}>
      {text}
    </a>
  ));
}

export function Tabs({ label, links, current, children }: LinksProps & { label: string; children?: Child }) {
  return (
    <nav class="tabs" aria-label={label}>
      <Links links={links} current={current} />
      {children}
    </nav>
  );
}

export interface Notice {
  text: string;
  isBad?: boolean;
  /** Nothing went wrong, but something is to be done. */
  isWarning?: boolean;
}

/** `children` stand below its text. */
export function NoticeBox({ notice, children }: { notice: Notice | undefined; children?: Child }) {
  if (!notice) return null;
  const look = notice.isBad ? 'notice is-bad' : notice.isWarning ? 'notice is-warning' : 'notice';
  return (
    <div class={look} role={notice.isBad ? 'alert' : 'status'}>
      <p>{notice.text}</p>
      {children}
    </div>
  );
}

/** The form that ends a session. */
export function SignOut({ path, text }: { path: string; text: string }) {
  return (
    <form method="post" action={path}>
      <button type="submit" class="quiet small">
        {text}
      </button>
    </form>
  );
}
