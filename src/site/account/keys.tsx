/** @jsxImportSource hono/jsx */
// The account's keys: made, named, bounded, changed and ended here. A key's text is shown once. Each form has the version
// of the keys that it was made for: one that is sent twice, or late, changes nothing.

import { LIMIT_NAMES, type LimitName, limitOf } from '../../accounts/keys/limit-fields.ts';
import { allowedModels, isDelegating, isLiveKey } from '../../store/key-chain.ts';
import type { KeyRow } from '../../store/rows.ts';
import { count, date, dateTime, withGap } from '../format.ts';
import type { Notice } from '../frame.tsx';
import type { PageContext } from '../page.tsx';
import { Money } from '../parts/amount.tsx';
import { LinkButton, Submit } from '../parts/button.tsx';
import { CodeBlock, CopyId } from '../parts/code-block.tsx';
import { Hidden } from '../parts/field.tsx';
import { type Fact, Facts } from '../parts/table.tsx';
import { BudgetBars, MainBudget, ParentBudgets } from './budget-bars.tsx';
import { AccountPage, tabPath } from './frame.tsx';
import { type KeyFaults, KeyFields } from './key-fields.tsx';
import type { KeysFacts } from './key-pages.tsx';
import { refusedPath } from './usage-filters.tsx';

/** A visitor's input for a key or for a new one. */
export interface TypedKey {
  keyId: string | undefined;
  form: URLSearchParams;
  faults: KeyFaults;
}

interface KeysProps {
  context: PageContext;
  facts: KeysFacts;
  notice?: Notice | undefined;
}

export function KeysPage({ context, facts, notice }: KeysProps) {
  const { keys } = context.words.account;
  const typed = facts.typed?.keyId === undefined ? facts.typed : undefined;
  return (
    <AccountPage context={context} tab="keys" notice={notice} isShownOnce={facts.fresh !== undefined}>
      <p>{keys.lead}</p>
      {facts.shown.some(hasBar) ? <p class="faint">{keys.budgetMarks}</p> : null}
      {facts.fresh ? (
        <div class="notice" role="status">
          <p>
            <strong>{keys.shownOnce}</strong>
          </p>
          <CodeBlock code={facts.fresh} language={context.language} isSecret />
        </div>
      ) : null}
      {facts.canManage ? (
        <p>
          <LinkButton look="quiet" href="#new" text={keys.create} />
        </p>
      ) : null}
      <KeyTree context={context} facts={facts} parentId={null} />
      <PageLinks context={context} facts={facts} />
      {facts.canManage ? (
        <>
          <h2 id="new">{keys.create}</h2>
          <form method="post" action="/account/keys" data-once>
            <Hidden fields={{ known: facts.known }} />
            <KeyFields
              context={context}
              models={facts.models}
              parents={facts.keys.filter((key) => key.delegate && isLiveKey(key, facts.now))}
              typed={typed?.form}
              faults={typed?.faults}
            />
            <Submit text={keys.create} />
          </form>
        </>
      ) : (
        <Restricted context={context} facts={facts} />
      )}
    </AccountPage>
  );
}

function PageLinks({ context, facts: { page, pages } }: Pick<KeysProps, 'context' | 'facts'>) {
  const { keys } = context.words.account;
  if (pages === 1) return null;
  return (
    <nav class="row" aria-label={keys.pages}>
      {page > 1 ? <LinkButton look="quiet" href={`${tabPath('keys')}?page=${page - 1}`} text={keys.previous} /> : null}
      <span class="faint">{keys.pageOf(page, pages)}</span>
      {page < pages ? <LinkButton look="quiet" href={`${tabPath('keys')}?page=${page + 1}`} text={keys.next} /> : null}
    </nav>
  );
}

/** Why this page offers no changes. */
function Restricted({ context, facts }: Pick<KeysProps, 'context' | 'facts'>) {
  const { keys } = context.words.account;
  const current = facts.keys.find(({ keyId }) => keyId === facts.currentId);
  if (!current || !isDelegating(current, facts.chainOf(current))) return <p class="note">{keys.restricted}</p>;
  return (
    <p class="note">
      {withGap(keys.delegating)}
      <a href="/docs/accounts">{keys.toDocs}</a>
    </p>
  );
}

interface KeyTreeProps {
  context: PageContext;
  facts: KeysFacts;
  /** Null: the keys whose parents are not shown. */
  parentId: string | null;
}

/** The keys below one, each with its own below it; nothing where there is none. */
function KeyTree({ context, facts, parentId }: KeyTreeProps) {
  const isShown = (id: string | null) => facts.shown.some(({ keyId }) => keyId === id);
  const keys = facts.shown.filter((key) => (parentId === null ? !isShown(key.parentId) : key.parentId === parentId));
  if (keys.length === 0) return null;
  return (
    <ul class="sheets is-tree">
      {keys.map((key) => (
        <li>
          <KeySheet context={context} key_={key} facts={facts} />
          <KeyTree context={context} facts={facts} parentId={key.keyId} />
        </li>
      ))}
    </ul>
  );
}

interface KeyProps {
  context: PageContext;
  key_: KeyRow;
  facts: KeysFacts;
}

/** More keys than these are folded, so that the list fits on a screen. */
const OPEN_KEYS = 3;

/** The limits that have a bar of their own are not among the facts. */
const WITH_BAR: ReadonlySet<LimitName> = new Set(['dayBudget', 'monthBudget', 'totalBudget']);

function hasBar(key: KeyRow): boolean {
  return [...WITH_BAR].some((name) => limitOf(key, name) !== null);
}

function KeySheet({ context, key_: key, facts }: KeyProps) {
  const { keys, overview, refusals } = context.words.account;
  const spending = facts.spendingOf(key);
  const isOpen = facts.keys.length <= OPEN_KEYS || facts.editedId === key.keyId;
  const { models, expiresAt } = effective(facts.chainOf(key));
  const setAbove = <span class="under">{keys.setAbove}</span>;
  const parent = facts.keys.find(({ keyId }) => keyId === key.parentId);
  const lines: Fact[] = [
    [keys.created, date(key.createdAt)],
    [overview.spend, <Spent context={context} key_={key} facts={facts} />],
    [
      refusals.ofKey,
      <a href={refusedPath(key.keyId)}>{facts.refused ? count(facts.refused.get(key.keyId) ?? 0) : '–'}</a>,
    ],
    [
      keys.models,
      <>
        {models === null ? keys.allModels : models.join(', ') || keys.noModels}
        {models?.length === key.models?.length ? null : setAbove}
      </>,
    ],
    ...LIMIT_NAMES.flatMap((name): Fact[] => {
      const value = limitOf(key, name);
      if (value === null || WITH_BAR.has(name)) return [];
      return [[keys.limits[name], typeof value === 'bigint' ? <Money value={value} /> : count(value)]];
    }),
    [
      keys.expires,
      <>
        {expiresAt === null ? keys.never : dateTime(expiresAt)}
        {expiresAt === key.expiresAt ? null : setAbove}
      </>,
    ],
    [keys.manages, key.manage ? keys.yes : keys.no],
    [keys.delegates, key.delegate ? keys.yes : keys.no],
    ...(parent ? [[keys.parent, parent.name ?? `…${parent.last4}`] as const] : []),
    [keys.id, <CopyId language={context.language} id={key.keyId} name={keys.id} />],
  ];
  return (
    <details class="key" id={key.keyId} open={isOpen}>
      <summary>
        <h2>
          {key.name ?? keys.noName}
          <small class="number"> …{key.last4}</small>
          {key.keyId === facts.currentId ? <small> {keys.current}</small> : null}
          {expiresAt !== null && expiresAt <= facts.now ? <small class="bad"> {keys.expired}</small> : null}
        </h2>
        <MainBudget context={context} spending={spending} />
      </summary>
      {key.name === null && facts.canManage ? <p class="faint">{keys.noNameHint}</p> : null}
      <Facts facts={lines} />
      {key.keyId === facts.currentId ? <ParentBudgets context={context} above={facts.above} /> : null}
      <BudgetBars context={context} spending={spending} />
      {key.oldHashUntil !== null && key.oldHashUntil > facts.now ? (
        <p class="faint">{keys.oldWorks(dateTime(key.oldHashUntil))}</p>
      ) : null}
      {facts.canManage ? <KeyActions context={context} key_={key} facts={facts} /> : null}
    </details>
  );
}

/** The limits of the first key of a chain: its own within those of the keys above it. */
function effective(chain: readonly KeyRow[]): Pick<KeyRow, 'models' | 'expiresAt'> {
  const ends = chain.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [expiresAt]));
  return { models: allowedModels(chain), expiresAt: ends.length === 0 ? null : Math.min(...ends) };
}

/** Leads to the requests that it is the sum of. */
function Spent({ context, key_: { keyId }, facts: { keys, spent, spentSince } }: KeyProps) {
  const { tabs } = context.words.account;
  const isParent = keys.some(({ parentId }) => parentId === keyId);
  const query = new URLSearchParams({ [isParent ? 'subtree' : 'key']: keyId, from: spentSince });
  return <a href={`${tabPath('usage')}?${query}`}>{spent ? <Money value={spent.get(keyId) ?? 0n} /> : tabs.usage}</a>;
}

/** If there are many keys, a form is shown only on request. */
function KeyActions(props: KeyProps) {
  const { context, key_: key, facts } = props;
  const { keys } = context.words.account;
  if (facts.keys.length <= OPEN_KEYS || facts.editedId === key.keyId) return <KeyForm {...props} />;
  return (
    <p>
      <LinkButton
        look="quiet small"
        href={`${tabPath('keys')}?edit=${key.keyId}#${key.keyId}`}
        text={keys.edit}
        about={` ${key.name ?? `…${key.last4}`}`}
      />
    </p>
  );
}

function KeyForm({ context, key_: key, facts }: KeyProps) {
  const { keys, colon } = context.words.account;
  const path = `/account/keys/${key.keyId}`;
  const typed = facts.typed?.keyId === key.keyId ? facts.typed : undefined;
  // A form that only names an action has no fields to keep.
  const typedFields = typed?.form.has('name') ? typed : undefined;
  return (
    <details open={facts.editedId === key.keyId}>
      <summary>
        {keys.edit}
        <span class="unseen">{colon + (key.name ?? `…${key.last4}`)}</span>
      </summary>
      <form method="post" action={path}>
        <KeyFields
          context={context}
          key_={key}
          models={facts.models}
          typed={typedFields?.form}
          faults={typedFields?.faults}
        />
        <Submit look="quiet" text={keys.save} />
      </form>
      {(['rotate', 'revoke'] as const).map((action) => (
        <p class="row">
          <LinkButton look="quiet small" href={`${path}/${action}`} text={keys[action]} />
          <span class="faint">{keys[`${action}Help`]}</span>
        </p>
      ))}
    </details>
  );
}
