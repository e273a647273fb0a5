/** @jsxImportSource hono/jsx */
// Refused requests: those of an account, and one of them with what happened and what the customer can do. Never content.

import { taipeiDay } from '../../../kit/taipei.ts';
import { count, dateTime } from '../../../site/format.ts';
import { wordFor } from '../../../site/language.ts';
import { Money } from '../../../site/parts/amount.tsx';
import { IdLink } from '../../../site/parts/button.tsx';
import { CopyId } from '../../../site/parts/code-block.tsx';
import { DataTable, type Fact, Facts, figure, TableSection, Under } from '../../../site/parts/table.tsx';
import { wholeNumber } from '../../../site/read-form.ts';
import { type AccountView, showAccount } from '../../actions/accounts.ts';
import { dayText } from '../../actions/ledger.ts';
import { type RefusalsView, type RefusedView, showRefusals, showRefused } from '../../actions/refusals.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import { pageIn } from '../pager.tsx';
import type { ConsoleTools } from '../tools.ts';
import type { ConsoleVisit } from '../visits.tsx';
import { AccountFrame, OlderPages, ROWS, readAccount, tabPath } from './account.tsx';

export const refusedPath = (requestId: string) => `/refusals/${encodeURIComponent(requestId)}`;

export async function showRefusedTab(visit: ConsoleVisit): Promise<Response> {
  const props = await readAccount(visit, 'refused');
  const { context, account } = props;
  const refusals = await showRefusals(visit.tools, { accountId: account.accountId });
  const { page, from } = pageIn(wholeNumber(visit.url.searchParams, 'page'), ROWS, refusals.data.length);
  const { refused: words } = context.words;
  return visit.show(
    <AccountFrame {...props} tab="refused">
      {refusals.counts.length === 0 || page > 1 ? null : (
        <TableSection
          title={words.counts}
          columns={[words.day, words.code, figure(words.refused)]}
          isCompact
          rows={countsByDay(refusals).map(({ day, code, refused }) => [
            <span class="number">{day}</span>,
            <Code context={context} code={code} />,
            count(refused),
          ])}
        />
      )}
      <h2>{words.list}</h2>
      <p class="faint">{words.retention}</p>
      <RefusedTable context={context} requests={refusals.data.slice(from, from + ROWS)} keys={account.keys} />
      <OlderPages
        context={context}
        path={tabPath(account.accountId, 'refused')}
        name="page"
        isNewest={page === 1}
        next={refusals.data.length > page * ROWS ? page + 1 : null}
      />
    </AccountFrame>,
  );
}

const COUNTS_SHOWN = 20;

/** Counts for all keys together, on the newest days. */
function countsByDay({ counts }: RefusalsView): { day: string; code: string; refused: number }[] {
  const sums = new Map<string, { day: string; code: string; refused: number }>();
  for (const { day, code, refused } of counts) {
    const sum = sums.get(`${day} ${code}`) ?? { day, code, refused: 0 };
    sum.refused += refused;
    sums.set(`${day} ${code}`, sum);
  }
  return [...sums.values()].slice(0, COUNTS_SHOWN);
}

interface TableProps {
  context: ConsoleContext;
  requests: readonly RefusedView[];
  keys: AccountView['keys'];
}

function RefusedTable({ context, requests, keys }: TableProps) {
  const { accounts, refused: words } = context.words;
  return (
    <DataTable
      label={words.list}
      none={words.none}
      columns={[accounts.at, words.code, `${accounts.model} · ${accounts.endpoint}`, accounts.key]}
      isCompact
      rows={requests.map((one) => [
        <>
          <span class="number">{dateTime(one.at)}</span>
          <a class="under id" href={refusedPath(one.requestId)}>
            {one.requestId}
          </a>
        </>,
        <Code context={context} code={one.code} status={one.status} />,
        <Under of={<span class="id">{one.model ?? '–'}</span>} text={one.endpoint || '–'} class="id" />,
        <KeyOf keys={keys} keyId={one.keyId} />,
      ])}
    />
  );
}

/** By its end and its name, as on the tab of keys. */
function KeyOf({ keys, keyId }: Pick<TableProps, 'keys'> & { keyId: string | null }) {
  const key = keys.find((one) => one.keyId === keyId);
  if (!key) return <span class="id">{keyId ?? '–'}</span>;
  const end = <span class="id">…{key.last4}</span>;
  return key.name === null ? end : <Under of={end} text={key.name} />;
}

/** Undefined for a code of a later version. */
function explain({ words }: ConsoleContext, code: string): readonly [happened: string, help: string] | undefined {
  return Object.entries(words.refused.explained).find(([known]) => known === code)?.[1];
}

/** In words, with the code that the customer sees. */
function Code({ context, code, status }: { context: ConsoleContext; code: string; status?: number }) {
  const happened = explain(context, code)?.[0];
  return (
    <>
      {happened}
      <span class={happened === undefined ? 'id' : 'under id'}>
        {status === undefined ? code : `${status} ${code}`}
      </span>
    </>
  );
}

export async function showRefusedPage(visit: ConsoleVisit): Promise<Response> {
  const { page: context, tools } = visit;
  const refused = await showRefused(tools, visit.params.request ?? '');
  const { accountId, code } = refused;
  // It may be unknown whose request it was.
  const account = accountId === null ? undefined : await showAccount(tools, accountId, { rows: 1 });
  const sameDay = await countSameDay(tools, refused);
  const { refused: words } = context.words;
  const [happened, help] = explain(context, code) ?? [words.unknownCode(code), words.seeDocs];
  const figures = figureFacts(context, refused);
  return visit.show(
    <ConsolePage context={context} section="accounts" title={words.title} lead={words.lead}>
      <div class="two">
        <section>
          <h2>{words.happened}</h2>
          <p>{happened}</p>
        </section>
        <section>
          <h2>{words.help}</h2>
          <p>{help}</p>
        </section>
      </div>
      <Facts facts={requestFacts(context, refused, account)} look="lines" />
      {figures.length === 0 ? null : (
        <>
          <h2>{words.figures}</h2>
          <Facts facts={figures} look="lines" />
        </>
      )}
      {account ? (
        <>
          <h2>{words.now}</h2>
          <Facts
            look="lines"
            facts={[
              [words.balanceNow, <Money value={account.wallet.balance} />],
              ...(sameDay === undefined ? [] : [[words.sameDay, count(sameDay)] as const]),
            ]}
          />
        </>
      ) : null}
      <p class="faint">{words.retention}</p>
    </ConsolePage>,
  );
}

/** How often the account met the same code that day, if that is known. */
async function countSameDay(tools: ConsoleTools, { accountId, code, at }: RefusedView): Promise<number | undefined> {
  if (accountId === null) return undefined;
  const { counts } = await showRefusals(tools, { accountId });
  const ofDay = counts.filter((one) => one.code === code && one.day === dayText(taipeiDay(at)));
  return ofDay.reduce((sum, { refused }) => sum + refused, 0);
}

function requestFacts(context: ConsoleContext, refused: RefusedView, account: AccountView | undefined): Fact[] {
  const { accounts, refused: words } = context.words;
  const { requestId, at, accountId, keyId, endpoint, model, status, code } = refused;
  const key = account?.keys.find((one) => one.keyId === keyId);
  return [
    [accounts.request, <CopyId language={context.language} id={requestId} name={accounts.request} />],
    [accounts.at, dateTime(at)],
    [words.status, `${status} ${code}`],
    [
      accounts.account,
      accountId === null ? (
        <span class="faint">{words.nobody}</span>
      ) : (
        <>
          {account?.nickname ? `${account.nickname} · ` : null}
          <IdLink href={tabPath(accountId, 'refused')} text={accountId} />
        </>
      ),
    ],
    ...(keyId === null
      ? []
      : [[accounts.key, key ? `${key.name ?? accounts.noName} · …${key.last4}` : keyId] as const]),
    [accounts.endpoint, endpoint || words.noRoute],
    [accounts.model, model ?? words.noModel],
  ];
}

/** Amounts are given twice; the exact ones are for programs. */
function figureFacts({ words }: ConsoleContext, { figures }: RefusedView): Fact[] {
  const { names } = words.refused;
  return Object.entries(figures)
    .filter(([name]) => !name.endsWith('_nano'))
    .map(([name, value]): Fact => [wordFor(names, name) ?? name, figureText(name, value)]);
}

function figureText(name: string, value: string | number): string {
  if (name.endsWith('_ntd')) return `NT$${value}`;
  if (name.endsWith('_at') && typeof value === 'string') return dateTime(Date.parse(value));
  return typeof value === 'number' ? count(value) : value;
}
