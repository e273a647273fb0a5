/** @jsxImportSource hono/jsx */
// The account's keys: made, named, bounded, changed and ended here. A key's text is shown once. Each form has the version
// of the keys that it was made for: one that is sent twice, or late, changes nothing.

import type { DayBudget } from '../../accounts/day-budgets.ts';
import type { Nano } from '../../kit/money.ts';
import type { KeyRow } from '../../store/rows.ts';
import { date, dateTime, money } from '../format.ts';
import type { Notice } from '../frame.tsx';
import type { PageContext } from '../page.tsx';
import { LinkButton, Submit } from '../parts/button.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { Hidden } from '../parts/field.tsx';
import { type Fact, Facts, Under } from '../parts/table.tsx';
import { AccountPage, tabPath } from './frame.tsx';
import type { KeyFaults } from './key-faults.ts';
import { KeyFields } from './key-fields.tsx';

/** What a visitor typed for a key, or for a new one. */
export interface TypedKey {
  keyId: string | undefined;
  form: URLSearchParams;
  faults: KeyFaults;
}

interface KeysFacts {
  keys: readonly KeyRow[];
  /** Of the keys that have one. */
  budgets: ReadonlyMap<string, DayBudget>;
  /** What each spent, of those that were used since that day; undefined if it is not known now. */
  spent: ReadonlyMap<string, Nano> | undefined;
  spentSince: string;
  /** How many keys the account has ever had. */
  known: number;
  /** The key of this session, if it was opened with one. */
  currentId: string | null;
  canManage: boolean;
  /** The text of a key that was just made. */
  fresh?: string | undefined;
  typed?: TypedKey | undefined;
  now: number;
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
      <ul class="sheets">
        {facts.keys.map((key) => (
          <KeySheet context={context} key_={key} facts={facts} />
        ))}
      </ul>
      {facts.canManage ? (
        <>
          <h2 id="new">{keys.create}</h2>
          <form method="post" action="/account/keys" data-once>
            <Hidden fields={{ known: facts.known }} />
            <KeyFields context={context} typed={typed?.form} faults={typed?.faults} />
            <Submit text={keys.create} />
          </form>
        </>
      ) : (
        <p class="note">{keys.restricted}</p>
      )}
    </AccountPage>
  );
}

interface KeyProps {
  context: PageContext;
  key_: KeyRow;
  facts: KeysFacts;
}

function KeySheet({ context, key_: key, facts }: KeyProps) {
  const { keys, overview } = context.words.account;
  const { expiresAt } = key;
  const budget = facts.budgets.get(key.keyId);
  const lines: Fact[] = [
    [keys.last4, `…${key.last4}`],
    [keys.created, date(key.createdAt)],
    [overview.spend, <Spent context={context} key_={key} facts={facts} />],
    [keys.models, key.models === null ? keys.allModels : key.models.join(', ')],
    [
      keys.budget,
      budget ? <Under of={money(budget.limit)} text={keys.usedToday(money(budget.spent))} /> : keys.noBudget,
    ],
    [keys.expires, expiresAt === null ? keys.never : dateTime(expiresAt)],
    [keys.manages, key.manage ? keys.yes : keys.no],
  ];
  return (
    <li>
      <h2>
        {key.name ?? keys.noName}
        {key.keyId === facts.currentId ? <small> {keys.current}</small> : null}
        {expiresAt !== null && expiresAt <= facts.now ? <small class="bad"> {keys.expired}</small> : null}
      </h2>
      {key.name === null && facts.canManage ? <p class="faint">{keys.noNameHint}</p> : null}
      <Facts facts={lines} />
      {key.oldHashUntil !== null && key.oldHashUntil > facts.now ? (
        <p class="faint">{keys.oldWorks(dateTime(key.oldHashUntil))}</p>
      ) : null}
      {facts.canManage ? <KeyActions context={context} key_={key} facts={facts} /> : null}
    </li>
  );
}

/** Leads to the requests that it is the sum of. */
function Spent({ context, key_: { keyId }, facts: { spent, spentSince } }: KeyProps) {
  const { tabs } = context.words.account;
  const query = new URLSearchParams({ key: keyId, from: spentSince });
  return <a href={`${tabPath('usage')}?${query}`}>{spent ? money(spent.get(keyId) ?? 0n) : tabs.usage}</a>;
}

function KeyActions({ context, key_: key, facts }: KeyProps) {
  const { keys, colon } = context.words.account;
  const path = `/account/keys/${key.keyId}`;
  const typed = facts.typed?.keyId === key.keyId ? facts.typed : undefined;
  // A form that only names an action has no fields to keep.
  const typedFields = typed?.form.has('name') ? typed : undefined;
  return (
    <details open={typed !== undefined}>
      <summary>
        {keys.edit}
        <span class="unseen">{colon + (key.name ?? `…${key.last4}`)}</span>
      </summary>
      <form method="post" action={path}>
        <KeyFields context={context} key_={key} typed={typedFields?.form} faults={typedFields?.faults} />
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
