// What the parts of an account's page are told, and how a page is shown again with what was typed.

import type { AccountView } from '../../actions/accounts.ts';
import type { ConsoleContext, Notice } from '../frame/frame.tsx';
import type { ConsoleVisit } from '../frame/visit.tsx';
import type { ConsoleTools } from '../tools.ts';

export interface AccountProps {
  context: ConsoleContext;
  account: AccountView;
  now: number;
  /** Where each part of the page begins that is not at its newest. */
  pages: { credits?: number | undefined; entries?: number | undefined; usage?: string | undefined };
  /** For the form that makes a key, so that it makes one. */
  ticket: string;
  /** What was sent and refused, else empty. */
  form: URLSearchParams;
  faults?: Readonly<Record<string, string>>;
  notice?: Notice | undefined;
}

export interface Shown {
  notice?: Notice | undefined;
  faults?: Readonly<Record<string, string>>;
  status?: number;
}

export type ShowAccount = (tools: ConsoleTools, visit: ConsoleVisit, shown: Shown) => Promise<Response>;
