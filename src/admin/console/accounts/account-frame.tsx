/** @jsxImportSource hono/jsx */
// The common part of an account's pages: its name and state, and the tabs. Each tab has its own address.

import type { Child } from 'hono/jsx';
import { NoticeBox, Tabs } from '../../../site/frame.tsx';
import { CopyId } from '../../../site/parts/code-block.tsx';
import type { AccountView } from '../../actions/accounts.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import type { Shown } from '../refused.ts';

/** The names are in the addresses. */
export const ACCOUNT_TABS = ['summary', 'requests', 'refused', 'ledger', 'keys'] as const;
export type AccountTab = (typeof ACCOUNT_TABS)[number];

export interface AccountProps extends Omit<Shown, 'status'> {
  context: ConsoleContext;
  account: AccountView;
  now: number;
  /** For the form that makes a key, so that it makes one. */
  ticket: string;
  /** The refused input; empty without one. */
  form: URLSearchParams;
}

interface AccountFrameProps extends Pick<AccountProps, 'context' | 'account' | 'notice'> {
  tab: AccountTab;
  children?: Child;
}

export function tabPath(accountId: string, tab: AccountTab): string {
  return tab === 'summary' ? `/accounts/${accountId}` : `/accounts/${accountId}/${tab}`;
}

export function AccountFrame({ context, account, notice, tab, children }: AccountFrameProps) {
  const { accounts, customers } = context.words;
  const { accountId, nickname, wallet } = account;
  const links = ACCOUNT_TABS.map((name) => ({ path: tabPath(accountId, name), text: customers[name] }));
  return (
    <ConsolePage context={context} section="accounts" title={nickname ?? accounts.account} notice={notice}>
      <p class="account-name">
        <CopyId language={context.language} id={accountId} name={accounts.account} />{' '}
        <FrozenState context={context} isFrozen={wallet.frozen} />
      </p>
      {wallet.frozen ? <NoticeBox notice={{ text: accounts.frozenText, isBad: true }} /> : null}
      <Tabs label={accounts.account} links={links} current={tabPath(accountId, tab)} />
      {children}
    </ConsolePage>
  );
}

export function FrozenState({ context, isFrozen }: { context: ConsoleContext; isFrozen: boolean }) {
  const { frozen, fine } = context.words.accounts;
  return <span class={`state ${isFrozen ? 'down' : 'operational'}`}>{isFrozen ? frozen : fine}</span>;
}

interface PagesProps {
  context: ConsoleContext;
  /** Address of the newest page, and the parameter of the others. */
  path: string;
  name: string;
  isNewest: boolean;
  /** Where the next page begins. */
  next: number | string | null;
}

export function OlderPages({ context, path, name, isNewest, next }: PagesProps) {
  const { accounts } = context.words;
  if (isNewest && next === null) return null;
  const older = `${path}${path.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(String(next))}`;
  return (
    <p class="row">
      {isNewest ? null : <a href={path}>{accounts.newest}</a>}
      {next === null ? null : <a href={older}>{accounts.older}</a>}
    </p>
  );
}
