// The account's keys: made, named, bounded, changed and ended here. A key's text is shown once.

import { formatNtd } from '../../kit/money.ts';
import type { KeyRow } from '../../store/rows.ts';
import { date, money } from '../format.ts';
import { wordsOf } from '../language.ts';
import type { PageContext } from '../page.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { Scroll } from '../parts/scroll.tsx';
import { AccountPage, type Notice } from './frame.tsx';

export interface KeysFacts {
  keys: readonly KeyRow[];
  /** The key of this session, if it was opened with one. */
  currentId: string | null;
  canManage: boolean;
  /** The text of a key that was just made. */
  fresh?: string | undefined;
}

interface KeysProps {
  context: PageContext;
  facts: KeysFacts;
  notice?: Notice | undefined;
}

export function KeysPage({ context, facts, notice }: KeysProps) {
  const { account, frame } = wordsOf(context.language);
  const { keys } = account;
  return (
    <AccountPage context={context} tab="keys" notice={notice}>
      <p>{keys.lead}</p>
      {facts.fresh ? (
        <div class="notice" role="status">
          <p>
            <strong>{keys.shownOnce}</strong>
          </p>
          <CodeBlock code={facts.fresh} label={frame.copy} done={frame.copied} />
        </div>
      ) : null}
      <KeyTable context={context} facts={facts} />
      {facts.canManage ? (
        <>
          <h2>{keys.create}</h2>
          <form method="post" action="/account/keys">
            <KeyFields context={context} />
            <button type="submit">{keys.create}</button>
          </form>
        </>
      ) : (
        <p class="note">{keys.restricted}</p>
      )}
    </AccountPage>
  );
}

function KeyTable({ context, facts }: { context: PageContext; facts: KeysFacts }) {
  const { keys } = wordsOf(context.language).account;
  const columns = [keys.name, keys.last4, keys.created, keys.models, keys.budget, keys.expires, keys.manages];
  return (
    <Scroll label={keys.lead}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col">{column}</th>
            ))}
            <th scope="col">{keys.edit}</th>
          </tr>
        </thead>
        <tbody>
          {facts.keys.map((key) => (
            <KeyLine context={context} key_={key} facts={facts} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function KeyLine({ context, key_: key, facts }: { context: PageContext; key_: KeyRow; facts: KeysFacts }) {
  const { keys } = wordsOf(context.language).account;
  return (
    <tr>
      <th scope="row">
        {key.name ?? '–'}
        {key.keyId === facts.currentId ? <small> ({keys.current})</small> : null}
      </th>
      <td class="id">…{key.last4}</td>
      <td class="nowrap number">{date(key.createdAt)}</td>
      <td class="id">{key.models === null ? keys.allModels : key.models.join(', ')}</td>
      <td class="number">{key.dailyBudget === null ? keys.noBudget : money(key.dailyBudget)}</td>
      <td class="nowrap number">{key.expiresAt === null ? keys.never : date(key.expiresAt)}</td>
      <td>{key.manage ? keys.yes : keys.no}</td>
      <td>{facts.canManage ? <KeyActions context={context} key_={key} /> : null}</td>
    </tr>
  );
}

function KeyActions({ context, key_: key }: { context: PageContext; key_: KeyRow }) {
  const { keys } = wordsOf(context.language).account;
  const name = `${key.name ?? ''} …${key.last4}`;
  return (
    <details>
      <summary aria-label={`${keys.edit}: ${name}`}>{keys.edit}</summary>
      <form method="post" action={`/account/keys/${key.keyId}`}>
        <KeyFields context={context} key_={key} />
        <button type="submit" class="small">
          {keys.save}
        </button>
      </form>
      <p class="row">
        <form method="post" action={`/account/keys/${key.keyId}/rotate`}>
          <button type="submit" class="quiet small" title={keys.rotateHelp}>
            {keys.rotate}
          </button>
        </form>
        <form method="post" action={`/account/keys/${key.keyId}/revoke`}>
          <button type="submit" class="quiet small">
            {keys.revoke}
          </button>
        </form>
      </p>
      <p class="faint">{keys.rotateHelp}</p>
    </details>
  );
}

function KeyFields({ context, key_: key }: { context: PageContext; key_?: KeyRow }) {
  const { keys } = wordsOf(context.language).account;
  const id = (name: string) => `${name}-${key?.keyId ?? 'new'}`;
  const text = (name: string, label: string, value: string, help?: string, type = 'text') => (
    <div class="field">
      <label for={id(name)}>
        {label} {help ? <span class="faint">{help}</span> : null}
      </label>
      <input id={id(name)} name={name} type={type} value={value} />
    </div>
  );
  return (
    <>
      {text('name', keys.name, key?.name ?? '')}
      {text('models', keys.models, key?.models?.join(', ') ?? '', keys.modelsHelp)}
      {text('budget', keys.budget, budgetText(key), keys.budgetHelp)}
      {text('expires', keys.expires, key?.expiresAt ? date(key.expiresAt) : '', keys.expiresHelp, 'date')}
      <div class="field">
        <label>
          <input type="checkbox" name="manage" value="1" checked={key?.manage ?? false} /> {keys.manageHelp}
        </label>
      </div>
    </>
  );
}

function budgetText(key: KeyRow | undefined): string {
  return key?.dailyBudget === undefined || key.dailyBudget === null ? '' : formatNtd(key.dailyBudget);
}
