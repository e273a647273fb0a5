/** @jsxImportSource hono/jsx */
// The frame of the account's pages: tabs, sign-out, and the result of the last action.

import type { Child } from 'hono/jsx';
import { type Notice, NoticeBox, SignOut, Tabs } from '../frame.tsx';
import { Page, type PageContext } from '../page.tsx';
import { SupportLink } from '../parts/support-link.tsx';

const TABS = ['overview', 'usage', 'keys', 'webhooks', 'redeem', 'setup', 'play', 'access'] as const;
type Tab = (typeof TABS)[number];

interface AccountPageProps {
  context: PageContext;
  tab: Tab;
  /** Title of a page below the tab. */
  title?: string;
  notice?: Notice | undefined;
  /** Nothing can be spent from the wallet. */
  isFrozen?: boolean;
  isShownOnce?: boolean;
  head?: Child;
  children?: Child;
}

export function tabPath(tab: Tab): string {
  return tab === 'overview' ? '/account' : `/account/${tab}`;
}

export function AccountPage(props: AccountPageProps) {
  const { context, tab, notice, isFrozen = false, isShownOnce = false, head, children } = props;
  const { account, faults } = context.words;
  const { title = account.tabs[tab] } = props;
  const links = TABS.map((name) => ({ path: tabPath(name), text: account.tabs[name] }));
  return (
    <Page context={context} title={title} isShownOnce={isShownOnce} head={head}>
      <Tabs label={account.title} links={links} current={tabPath(tab)}>
        <SignOut path="/account/sign-out" text={account.signOut} />
      </Tabs>
      <h1>{title}</h1>
      <NoticeBox notice={isFrozen ? { text: faults.wallet_frozen, isBad: true } : undefined}>
        {context.supportContact === undefined ? null : (
          <p>
            <SupportLink context={context} />
          </p>
        )}
      </NoticeBox>
      <NoticeBox notice={notice ?? context.flash} />
      {children}
    </Page>
  );
}
