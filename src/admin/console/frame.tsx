/** @jsxImportSource hono/jsx */
// The frame of the console's pages: the site's style, with the console's menu. A confirmation page says what will happen,
// with buttons to go on and to go back.

import type { Child } from 'hono/jsx';
import { Frame, type FrameContext, Links, type Notice, NoticeBox, SignOut, Tabs } from '../../site/frame.tsx';
import { SubmitRow } from '../../site/parts/button.tsx';
import { Hidden } from '../../site/parts/field.tsx';
import type { ConsoleWords } from './words/words.ts';

const SECTIONS = ['channels', 'models', 'cards', 'accounts', 'ledger', 'alarms', 'incidents', 'actions'] as const;
type Section = (typeof SECTIONS)[number];

export interface ConsoleContext extends FrameContext {
  words: ConsoleWords;
  /** Alarms that nobody has acknowledged: a figure in the menu, if it is known. */
  openAlarms: OpenAlarmCount | undefined;
}

export interface OpenAlarmCount {
  /** Up to one above MAX_COUNTED. */
  count: number;
  isCritical: boolean;
}

/** More than these are not counted on every page. */
export const MAX_COUNTED = 99;

export function countedAlarms({ count }: OpenAlarmCount): string {
  return count > MAX_COUNTED ? `${MAX_COUNTED}+` : String(count);
}

/** The pages of a section, as tabs. */
function tabsOf(section: Section | undefined, { prices, document, ledger, losses, profit }: ConsoleWords) {
  if (section === 'models') {
    return [
      { path: '/models', text: prices.tabPrices },
      { path: '/models/document', text: document.title },
      { path: '/models/revisions', text: document.revisions },
      { path: '/models/import', text: prices.tabImport },
    ];
  }
  if (section !== 'ledger') return undefined;
  return [
    { path: '/ledger', text: ledger.tabOverview },
    { path: '/ledger/profit', text: profit.title },
    { path: '/ledger/losses', text: losses.title },
    { path: '/ledger/reconcile', text: ledger.tabReconcile },
  ];
}

interface ConsolePageProps {
  context: ConsoleContext;
  title: string;
  section?: Section;
  lead?: string;
  notice?: Notice | undefined;
  /** Beside that of every page. */
  script?: string;
  /** The page has the search in its text: then it is not in the head, too. */
  hasSearch?: boolean;
  /** See `Frame`. */
  isShownOnce?: boolean;
  children?: Child;
}

export function ConsolePage(props: ConsolePageProps) {
  const { context, title, section, lead, notice, script, hasSearch = false, isShownOnce, children } = props;
  const { siteName, isSignedIn, openAlarms, path, words } = context;
  const { frame } = words;
  const badge = openAlarms?.count ? (
    <span class={openAlarms.isCritical ? 'badge bad' : 'badge'}> {frame.open(countedAlarms(openAlarms))}</span>
  ) : null;
  const links = SECTIONS.map((name) => ({
    path: `/${name}`,
    text: name === 'alarms' ? [frame[name], badge] : frame[name],
  }));
  const tabs = tabsOf(section, words);
  // The tab with the longest matching path is the current one: its pages are below it.
  const current = tabs
    ?.filter((tab) => path === tab.path || path.startsWith(`${tab.path}/`))
    .sort((a, b) => b.path.length - a.path.length)[0];
  return (
    <Frame
      context={context}
      title={`${title} · ${frame.name} · ${siteName}`}
      head={[
        <meta name="robots" content="noindex" />,
        script ? <script src={context.assets.url(script)} defer /> : null,
      ]}
      style="console.css"
      class="console"
      name={[siteName, ' ', <small>{frame.name}</small>]}
      menu={isSignedIn ? <Links links={links} current={section && `/${section}`} /> : null}
      action={
        isSignedIn
          ? [hasSearch ? null : <Find context={context} />, <SignOut path="/sign-out" text={frame.signOut} />]
          : null
      }
      foot={[
        <a href={context.publicUrl} rel="noreferrer">
          {frame.toSite}
        </a>,
        <p>{frame.promise}</p>,
      ]}
      isShownOnce={isShownOnce}
    >
      {tabs ? <Tabs label={title} links={tabs} current={current?.path} /> : null}
      <h1>{title}</h1>
      {lead ? <p class="lead">{lead}</p> : null}
      <NoticeBox notice={notice ?? context.flash} />
      {children}
    </Frame>
  );
}

/** Finds an account, a request or a card from every page. A POST, because the code of a card must not be in a URL. */
function Find({ context }: { context: ConsoleContext }) {
  const { find, findLabel } = context.words.customers;
  return (
    <search class="find">
      <form method="post" action="/accounts">
        <input type="search" name="q" aria-label={findLabel} title={findLabel} placeholder={find} maxlength={100} />
      </form>
    </search>
  );
}

export interface ConfirmProps {
  context: ConsoleContext;
  section: Section;
  title: string;
  /** The consequences, one sentence each. */
  consequences: readonly string[];
  /** The form's target and hidden fields. */
  action: string;
  fields?: Readonly<Record<string, string>>;
  button: string;
  back: string;
  /** More fields of the form. */
  children?: Child;
}

export function ConfirmPage(props: ConfirmProps) {
  const { context, section, title, consequences, action, fields = {}, button, back, children } = props;
  return (
    <ConsolePage context={context} section={section} title={title}>
      <div class="narrow confirm">
        <ul>
          {consequences.map((text) => (
            <li>{text}</li>
          ))}
        </ul>
        <form method="post" action={action}>
          <Hidden fields={{ ...fields, confirmed: 'yes' }} />
          {children}
          <SubmitRow look="danger" text={button} back={back} backText={context.words.frame.cancel} />
        </form>
      </div>
    </ConsolePage>
  );
}

interface FaultListProps {
  title: string;
  text?: string;
  faults: readonly { path: string; message: string }[];
}

export function FaultList({ title, text, faults }: FaultListProps) {
  if (faults.length === 0) return null;
  return (
    <div class="notice is-bad" role="alert" id="faults">
      <h2>{title}</h2>
      {text ? <p>{text}</p> : null}
      <ul class="faults">
        {faults.map(({ path, message }) => (
          <li>
            <code>{path || '–'}</code>
            <span>{message}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
