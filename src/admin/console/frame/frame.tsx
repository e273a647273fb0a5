/** @jsxImportSource hono/jsx */
// The frame of the console's pages: the site's look, with the parts of the shop in its menu.

import type { Child } from 'hono/jsx';
import type { Assets } from '../../../site/assets.ts';
import { type Language, wordsOf } from '../../../site/language.ts';
import { LanguageSwitch } from '../../../site/parts/language-switch.tsx';
import { Mark } from '../../../site/parts/mark.tsx';
import { consoleWords } from '../words/words.ts';

const SECTIONS = ['channels', 'models', 'cards', 'accounts', 'ledger', 'alarms', 'incidents', 'actions'] as const;
export type Section = (typeof SECTIONS)[number];

export interface ConsoleContext {
  language: Language;
  siteName: string;
  /** Where customers find the site. */
  publicUrl: string;
  assets: Assets;
  path: string;
  query: string;
  isSignedIn: boolean;
  /** Alarms that nobody has seen yet, counted to one above MOST_COUNTED: a figure in the menu, if it is known. */
  openAlarms: number | undefined;
}

/** More than these are not counted on every page. */
export const MOST_COUNTED = 99;

export function countedAlarms(open: number): string {
  return open > MOST_COUNTED ? `${MOST_COUNTED}+` : String(open);
}

export interface Notice {
  text: string;
  isBad?: boolean;
}

interface ConsolePageProps {
  context: ConsoleContext;
  title: string;
  section?: Section;
  /** Pages of a section, as tabs. */
  tabs?: readonly { path: string; text: string }[];
  lead?: string;
  notice?: Notice | undefined;
  /** It shows what no other page will show again: the switch of language would lead away from it. */
  isShownOnce?: boolean;
  children?: Child;
}

export function ConsolePage(props: ConsolePageProps) {
  const { context, title, section, tabs, lead, notice, isShownOnce = false, children } = props;
  const { language, siteName, assets } = context;
  const { frame } = wordsOf(language);
  const words = consoleWords(language);
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{`${title} · ${words.frame.name} · ${siteName}`}</title>
        <link rel="stylesheet" href={assets.url('site.css')} />
        <link rel="stylesheet" href={assets.url('console.css')} />
        <link rel="icon" type="image/svg+xml" href={assets.url('mark.svg')} />
        <script src={assets.url('site.js')} defer />
      </head>
      <body class="console">
        <a class="skip" href="#main">
          {frame.skip}
        </a>
        <Head context={context} section={section} isShownOnce={isShownOnce} />
        <main id="main">
          <div class="wrap">
            {tabs ? <Tabs label={title} tabs={tabs} path={context.path} /> : null}
            <h1>{title}</h1>
            {lead ? <p class="lead">{lead}</p> : null}
            <NoticeBox notice={notice} />
            {children}
          </div>
        </main>
        <footer class="foot">
          <div class="wrap">
            <a href={context.publicUrl} rel="noreferrer">
              {words.frame.toSite}
            </a>
            <p>{words.frame.promise}</p>
          </div>
        </footer>
      </body>
    </html>
  );
}

interface HeadProps {
  context: ConsoleContext;
  section: Section | undefined;
  isShownOnce: boolean;
}

function Head({ context, section, isShownOnce }: HeadProps) {
  const { language, siteName, isSignedIn, openAlarms } = context;
  const words = consoleWords(language);
  return (
    <header class="head">
      <div class="wrap">
        <a class="mark" href="/">
          <Mark />
          <span>
            {siteName} <small>{words.frame.name}</small>
          </span>
        </a>
        {isSignedIn ? (
          <nav aria-label={wordsOf(language).frame.menu}>
            {SECTIONS.map((name) => (
              <a href={`/${name}`} {...(name === section ? { 'aria-current': 'page' as const } : {})}>
                {words.frame[name]}
                {name === 'alarms' && openAlarms ? (
                  <OpenAlarms words={words.frame.open(countedAlarms(openAlarms))} />
                ) : null}
              </a>
            ))}
          </nav>
        ) : null}
        {isShownOnce ? null : <LanguageSwitch context={context} />}
        {isSignedIn ? (
          <form method="post" action="/sign-out">
            <button type="submit" class="quiet small">
              {words.frame.signOut}
            </button>
          </form>
        ) : null}
      </div>
    </header>
  );
}

function OpenAlarms({ words }: { words: string }) {
  return <span class="badge"> {words}</span>;
}

/** The longest path that leads here is the current one: a tab's pages lie below it. */
function Tabs({ label, tabs, path }: { label: string; tabs: NonNullable<ConsolePageProps['tabs']>; path: string }) {
  const current = tabs
    .filter((tab) => path === tab.path || path.startsWith(`${tab.path}/`))
    .sort((a, b) => b.path.length - a.path.length)[0];
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a href={tab.path} {...(tab === current ? { 'aria-current': 'page' as const } : {})}>
          {tab.text}
        </a>
      ))}
    </nav>
  );
}

function NoticeBox({ notice }: { notice: Notice | undefined }) {
  if (!notice) return null;
  return (
    <div class={notice.isBad ? 'notice is-bad' : 'notice'} role={notice.isBad ? 'alert' : 'status'}>
      <p>{notice.text}</p>
    </div>
  );
}
