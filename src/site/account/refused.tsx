/** @jsxImportSource hono/jsx */
// Refused requests of the account: their list, and one of them with its cause and what to do. None of them was charged.

import { type Viewer, visibleKeyIds } from '../../accounts/usage/visible-keys.ts';
import { KEPT_PER_ACCOUNT, REFUSED_DAYS, type RefusedRequest } from '../../store/refusals.ts';
import { count, dateTime, sentences } from '../format.ts';
import { wordFor } from '../language.ts';
import type { PageContext } from '../page.tsx';
import { LinkLine } from '../parts/button.tsx';
import { CopyId } from '../parts/code-block.tsx';
import { DataTable, type Fact, Facts, typedText, Under } from '../parts/table.tsx';
import type { SiteTools } from '../tools.ts';
import { limitName } from './budget-bars.tsx';
import { AccountPage, tabPath } from './frame.tsx';
import { readKeyNames } from './usage.tsx';
import { REFUSED } from './usage-filters.tsx';
import type { Visits } from './visits.tsx';

export function addRefused(visits: Visits, tools: SiteTools): void {
  visits.signed('get', REFUSED, async (visit) => {
    const keyId = visit.url.searchParams.get('key') ?? undefined;
    const [all, keyNames] = await Promise.all([readRefused(tools, visit.session), readKeyNames(tools, visit.session)]);
    const requests = keyId === undefined ? all : all.filter((one) => one.keyId === keyId);
    return visit.show(<RefusedList context={visit.page} {...{ requests, keyNames, keyId }} />);
  });
}

/** Those that the viewer may see, newest first; with an id, that one. */
export async function readRefused(
  { store }: SiteTools,
  viewer: Viewer,
  requestId?: string,
): Promise<readonly RefusedRequest[]> {
  const { accountId } = viewer;
  const [requests, visible] = await Promise.all([
    store.read.refusedRequests({ accountId, requestId }),
    visibleKeyIds(store, viewer),
  ]);
  return requests.filter(({ keyId }) => visible?.includes(keyId) ?? true);
}

interface ListProps {
  context: PageContext;
  requests: readonly RefusedRequest[];
  keyNames: ReadonlyMap<string, string>;
  keyId: string | undefined;
}

function RefusedList({ context, requests, keyNames, keyId }: ListProps) {
  const { refusals: words, usage } = context.words.account;
  return (
    <AccountPage context={context} tab="usage" title={words.list}>
      <p>{words.lead}</p>
      <p class="faint">{words.kept(REFUSED_DAYS, KEPT_PER_ACCOUNT)}</p>
      {keyId === undefined ? null : (
        <ul class="chosen">
          <li>
            <a href={REFUSED}>
              {`${usage.key}${context.words.account.colon}${keyNames.get(keyId) ?? keyId}`}{' '}
              <span aria-hidden="true">×</span>
              <span class="unseen">{words.ofAll}</span>
            </a>
          </li>
        </ul>
      )}
      <DataTable
        label={words.list}
        none={words.none(REFUSED_DAYS)}
        isCompact
        columns={[usage.time, words.title, usage.model, typedText(usage.key)]}
        rows={requests.map((one) => [
          <a class="number" href={`/account/receipts/${one.requestId}`}>
            {dateTime(one.at)}
          </a>,
          <Under of={explain(context, one.code)[0]} text={`${one.status} ${one.code}`} class="id" />,
          <span class="id">{one.model ?? '–'}</span>,
          keyNames.get(one.keyId) ?? '–',
        ])}
      />
      <LinkLine look="back" href={tabPath('usage')} text={usage.back} />
    </AccountPage>
  );
}

function explain({ words }: PageContext, code: string): readonly [cause: string, remedy: string] {
  const { causes, unknown, seeDocs } = words.account.refusals;
  const known: Readonly<Record<string, readonly [string, string]>> = causes;
  return known[code] ?? [unknown(code), seeDocs];
}

interface RefusedProps {
  context: PageContext;
  refused: RefusedRequest;
  keyNames: ReadonlyMap<string, string>;
}

export function RefusedPage({ context, refused, keyNames }: RefusedProps) {
  const { refusals: words, usage, usageView, endingTitle } = context.words.account;
  const { requestId, at, keyId, model, endpoint, status, code } = refused;
  const [cause, remedy] = explain(context, code);
  const figures = figureFacts(context, refused, keyNames);
  const facts: Fact[] = [
    [usage.requestId, <CopyId language={context.language} id={requestId} name={usage.requestId} />],
    [usage.time, dateTime(at)],
    [usage.key, keyNames.get(keyId) ?? '–'],
    [usage.model, model ?? '–'],
    [words.endpoint, endpoint || '–'],
    [words.code, `${status} ${code}`],
  ];
  return (
    <AccountPage context={context} tab="usage" title={words.title}>
      <section class="notice is-warning">
        <h2>{endingTitle}</h2>
        <p>{sentences(cause, usageView.free)}</p>
        <p>
          <strong>{words.remedy}</strong>
          {context.words.account.colon}
          {remedy}
        </p>
      </section>
      <div class="two">
        <Facts facts={facts} look="lines" />
        {figures.length === 0 ? null : (
          <div>
            <h2>{words.figures}</h2>
            <Facts facts={figures} look="lines" />
          </div>
        )}
      </div>
      <p class="faint">{words.kept(REFUSED_DAYS, KEPT_PER_ACCOUNT)}</p>
      <LinkLine look="back" href={REFUSED} text={words.list} />
    </AccountPage>
  );
}

/** Amounts are there twice; the exact ones are for programs. A key above those that the viewer sees stays unnamed. */
function figureFacts({ words }: PageContext, { figures }: RefusedRequest, keyNames: RefusedProps['keyNames']): Fact[] {
  const { names } = words.account.refusals;
  return Object.entries(figures)
    .filter(([name]) => !name.endsWith('_nano'))
    .map(([name, value]): Fact => {
      const title = wordFor(names, name) ?? name;
      if (name === 'key_id') return [title, keyNames.get(String(value)) ?? '–'];
      const budget = name === 'budget' ? wordFor(words.account.keys.limits, limitName(String(value))) : undefined;
      return [title, budget ?? figureText(name, value)];
    });
}

function figureText(name: string, value: string | number): string {
  if (name.endsWith('_ntd')) return `NT$${value}`;
  if (name.endsWith('_at') && typeof value === 'string') return dateTime(Date.parse(value));
  return typeof value === 'number' ? count(value) : value;
}
