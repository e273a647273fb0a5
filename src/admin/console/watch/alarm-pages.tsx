/** @jsxImportSource hono/jsx */
// Alarms: what is open first, each with what it means; those of one name can be seen all at once.

import { count, dateTime } from '../../../site/format.ts';
import type { OpenAlarms } from '../../../store/reads.ts';
import type { StoredAlarm } from '../../../store/rows.ts';
import { type AlarmFilter, acknowledge, acknowledgeAll, countOpenAlarms, listAlarms } from '../../actions/alarms.ts';
import { OperatingRefused } from '../../actions/refused.ts';
import { type ConsoleContext, ConsolePage, type Notice } from '../frame/frame.tsx';
import { wholeNumber } from '../frame/read-form.ts';
import type { ConsoleVisit, ConsoleVisits } from '../frame/visit.tsx';
import { actorName } from '../parts/actor.ts';
import { DataTable } from '../parts/data-table.tsx';
import { attempt } from '../parts/refused.ts';
import { ACTOR, type ConsoleTools } from '../tools.ts';
import { consoleWords } from '../words/words.ts';
import { Facts } from './facts.tsx';

const SHOWN = 100;

export function addAlarmPages(visits: ConsoleVisits, tools: ConsoleTools): void {
  visits.get('/alarms', async (visit) => {
    const { searchParams } = visit.url;
    const filter = {
      openOnly: !searchParams.has('all'),
      name: searchParams.get('name') || undefined,
      before: wholeNumber(searchParams, 'before'),
    };
    const [alarms, open] = await Promise.all([
      listAlarms(tools, SHOWN + 1, filter),
      filter.openOnly ? countOpenAlarms(tools, filter.name) : [],
    ]);
    return visit.show(
      <AlarmsPage context={visit.page} alarms={alarms} open={open} filter={filter} notice={doneNotice(visit)} />,
    );
  });
  visits.post('/alarms/:id', (visit) =>
    acknowledged(visit, '/alarms?seen', () => acknowledge(tools, Number(visit.params.id), ACTOR)),
  );
  visits.post('/alarms/names/:name', (visit) => {
    const wanted = { name: visit.params.name ?? '', through: wholeNumber(visit.form, 'through') };
    return acknowledged(visit, '/alarms?seen=all', () => acknowledgeAll(tools, wanted, ACTOR));
  });
}

async function acknowledged(visit: ConsoleVisit, next: string, act: () => Promise<unknown>): Promise<Response> {
  const done = await attempt(act);
  // Who was faster has seen it, too.
  if (done instanceof OperatingRefused && done.code !== 'already_done') throw done;
  return visit.go(next);
}

function doneNotice({ url, page }: ConsoleVisit): Notice | undefined {
  const { alarms: words } = consoleWords(page.language);
  const seen = url.searchParams.get('seen');
  return seen === null ? undefined : { text: seen === 'all' ? words.allDone : words.done };
}

interface AlarmsProps {
  context: ConsoleContext;
  /** One more than a page if there are older ones. */
  alarms: readonly StoredAlarm[];
  open: readonly OpenAlarms[];
  filter: AlarmFilter;
  notice?: Notice | undefined;
}

function AlarmsPage({ context, alarms, open, filter, notice }: AlarmsProps) {
  const { alarms: words } = consoleWords(context.language);
  const current = { 'aria-current': 'page' as const };
  const { openOnly = false, name } = filter;
  const shown = alarms.slice(0, SHOWN);
  const before = alarms.length > SHOWN ? shown.at(-1)?.alarmId : undefined;
  return (
    <ConsolePage context={context} section="alarms" title={words.title} lead={words.lead} notice={notice}>
      <nav class="tabs" aria-label={words.state}>
        <a href={pathOf({ name, openOnly: true })} {...(openOnly ? current : {})}>
          {words.open}
        </a>
        <a href={pathOf({ name, openOnly: false })} {...(openOnly ? {} : current)}>
          {words.all}
        </a>
      </nav>
      {name === undefined ? null : (
        <p class="faint">
          {words.only(name)} · <a href={pathOf({ openOnly })}>{words.everyName}</a>
        </p>
      )}
      {open.some((one) => one.open > 1) ? <OpenTable context={context} open={open} /> : null}
      {shown.length === 0 ? (
        <NoAlarms context={context} filter={filter} />
      ) : (
        <AlarmTable context={context} alarms={shown} />
      )}
      {before === undefined ? null : (
        <p>
          <a href={pathOf({ ...filter, before })}>{words.older}</a>
        </p>
      )}
    </ConsolePage>
  );
}

/** Behind the oldest there may be newer ones: nobody is told to sleep well. */
function NoAlarms({ context, filter }: Pick<AlarmsProps, 'context' | 'filter'>) {
  const { alarms: words } = consoleWords(context.language);
  if (filter.before === undefined) return <p class="empty">{filter.openOnly ? words.noneOpen : words.none}</p>;
  return (
    <p class="empty">
      {words.noneOlder} <a href={pathOf({ ...filter, before: undefined })}>{words.toNewest}</a>
    </p>
  );
}

function pathOf({ openOnly, name, before }: AlarmFilter): string {
  const query = new URLSearchParams();
  if (name !== undefined) query.set('name', name);
  if (before !== undefined) query.set('before', String(before));
  const parts = [openOnly ? '' : 'all', query.toString()].filter((part) => part !== '');
  return parts.length === 0 ? '/alarms' : `/alarms?${parts.join('&')}`;
}

/** What hides behind many of one name is found by its own. */
function OpenTable({ context, open }: Pick<AlarmsProps, 'context' | 'open'>) {
  const { alarms: words } = consoleWords(context.language);
  const meanings = meaningsOf(words);
  return (
    <DataTable
      label={words.byName}
      caption={words.byName}
      columns={[
        { text: words.name },
        { text: words.count, isFigure: true },
        { text: words.newest },
        { text: words.acknowledge, isAction: true },
      ]}
      rows={open.map(({ name, open: many, newestId, newestAt }) => [
        <>
          {meanings[name]}
          <a class={Object.hasOwn(meanings, name) ? 'under id' : 'id'} href={pathOf({ name, openOnly: true })}>
            {name}
          </a>
        </>,
        count(many),
        <span class="number">{dateTime(newestAt)}</span>,
        <form method="post" action={`/alarms/names/${encodeURIComponent(name)}`}>
          <input type="hidden" name="through" value={String(newestId)} />
          <button type="submit" class="quiet small">
            {many === 1 ? words.acknowledge : words.acknowledgeAll(count(many))}
            <span class="unseen">: {name}</span>
          </button>
        </form>,
      ])}
    />
  );
}

function AlarmTable({ context, alarms }: Pick<AlarmsProps, 'context' | 'alarms'>) {
  const { alarms: words } = consoleWords(context.language);
  const meanings = meaningsOf(words);
  const nameOf = (actor: string | null) => (actor === null ? '–' : actorName(context.language, actor));
  return (
    <DataTable
      label={words.title}
      columns={[{ text: words.name }, { text: words.at }, { text: words.facts }, { text: words.state }]}
      rows={alarms.map(({ alarmId, at, name, fields, acknowledgedAt, acknowledgedBy }) => [
        <>
          {meanings[name] ?? name}
          <span class="under id">{name}</span>
        </>,
        <span class="number">{dateTime(at)}</span>,
        <Facts language={context.language} facts={fields} />,
        acknowledgedAt === null ? (
          <form method="post" action={`/alarms/${alarmId}`}>
            <button type="submit" class="quiet small">
              {words.acknowledge}
              <span class="unseen">: {`${name} ${alarmId}`}</span>
            </button>
          </form>
        ) : (
          <span class="faint">{words.seen(nameOf(acknowledgedBy), dateTime(acknowledgedAt))}</span>
        ),
      ])}
    />
  );
}

function meaningsOf(words: ReturnType<typeof consoleWords>['alarms']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(words).flatMap(([name, said]) => (typeof said === 'string' ? [[name, said]] : [])),
  );
}
