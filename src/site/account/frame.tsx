/** @jsxImportSource hono/jsx */
// The frame of the account's pages: its parts as tabs, a way out, and what the last action came to.

import type { Child } from 'hono/jsx';
import { wordsOf } from '../language.ts';
import { Page, type PageContext } from '../page.tsx';
import { SupportLink } from '../parts/support-link.tsx';

const TABS = ['overview', 'usage', 'keys', 'redeem', 'setup', 'play', 'access'] as const;
export type Tab = (typeof TABS)[number];

export interface Notice {
  text: string;
  isBad?: boolean;
  /** Nothing went wrong, but something is to be done. */
  isWarning?: boolean;
}

interface AccountPageProps {
  context: PageContext;
  tab: Tab;
  /** Of a page below the tab. */
  title?: string;
  notice?: Notice | undefined;
  /** Nothing can be spent from the wallet. */
  isFrozen?: boolean;
  /** See `Page`. */
  isShownOnce?: boolean;
  children?: Child;
}

export function tabPath(tab: Tab): string {
  return tab === 'overview' ? '/account' : `/account/${tab}`;
}

export function AccountPage(props: AccountPageProps) {
  const { context, tab, title, notice, isFrozen = false, isShownOnce = false, children } = props;
  const { account, faults } = wordsOf(context.language);
  return (
    <Page context={context} title={title ?? account.tabs[tab]} isShownOnce={isShownOnce}>
      <nav class="tabs" aria-label={account.title}>
        {TABS.map((name) => (
          <a href={tabPath(name)} {...(name === tab ? { 'aria-current': 'page' as const } : {})}>
            {account.tabs[name]}
          </a>
        ))}
        <form method="post" action="/account/sign-out">
          <button type="submit" class="quiet small">
            {account.signOut}
          </button>
        </form>
      </nav>
      <h1>{title ?? account.tabs[tab]}</h1>
      <NoticeBox notice={isFrozen ? { text: faults.wallet_frozen, isBad: true } : undefined}>
        {context.supportContact === undefined ? null : (
          <p>
            <SupportLink context={context} />
          </p>
        )}
      </NoticeBox>
      <NoticeBox notice={notice} />
      {children}
    </Page>
  );
}

/** `children` stand below its text. */
export function NoticeBox({ notice, children }: { notice: Notice | undefined; children?: Child }) {
  if (!notice) return null;
  return (
    <div
      class={`notice${notice.isBad ? ' is-bad' : notice.isWarning ? ' is-warning' : ''}`}
      role={notice.isBad ? 'alert' : 'status'}
    >
      <p>{notice.text}</p>
      {children}
    </div>
  );
}
