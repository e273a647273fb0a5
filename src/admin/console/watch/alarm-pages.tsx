/** @jsxImportSource hono/jsx */
// Alarms: what is open first, each with what it means; those of one name can be seen all at once.

import { count, dateTime } from '../../../site/format.ts';
import { Tabs } from '../../../site/frame.tsx';
import { wordFor } from '../../../site/language.ts';
import { Submit } from '../../../site/parts/button.tsx';
import { Hidden } from '../../../site/parts/field.tsx';
import { action, DataTable, figure, Under } from '../../../site/parts/table.tsx';
import { wholeNumber } from '../../../site/read-form.ts';
import type { OpenAlarms } from '../../../store/reads.ts';
import type { StoredAlarm } from '../../../store/rows.ts';
import { type AlarmFilter, acknowledge, acknowledgeAll, countOpenAlarms, listAlarms } from '../../actions/alarms.ts';
import { OperatingRefused } from '../../actions/refused.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import { ACTOR, type ConsoleTools } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';
import { actorName } from './action-table.tsx';
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
    return visit.show(<AlarmsPage context={visit.page} alarms={alarms} open={open} filter={filter} />);
  });
  visits.post('/alarms/:id', (visit) =>
    acknowledged(visit, 'done', () => acknowledge(tools, Number(visit.params.id), ACTOR)),
  );
  visits.post('/alarms/names/:name', (visit) => {
    const wanted = { name: visit.params.name ?? '', through: wholeNumber(visit.form, 'through') };
    return acknowledged(visit, 'allDone', () => acknowledgeAll(tools, wanted, ACTOR));
  });
}

async function acknowledged(
  visit: ConsoleVisit,
  what: 'done' | 'allDone',
  act: () => Promise<unknown>,
): Promise<Response> {
  await act().catch((error: unknown) => {
    // Another operator has acknowledged it meanwhile.
    if (!(error instanceof OperatingRefused) || error.code !== 'already_done') throw error;
  });
  return visit.goWith('/alarms', { notice: { text: visit.page.words.alarms[what] } });
}

interface AlarmsProps {
  context: ConsoleContext;
  /** One more than a page if there are older ones. */
  alarms: readonly StoredAlarm[];
  open: readonly OpenAlarms[];
  filter: AlarmFilter;
}

function AlarmsPage({ context, alarms, open, filter }: AlarmsProps) {
  const { alarms: words } = context.words;
  const { openOnly = false, name } = filter;
  const tabs = [
    { path: pathOf({ name, openOnly: true }), text: words.open },
    { path: pathOf({ name, openOnly: false }), text: words.all },
  ];
  const shown = alarms.slice(0, SHOWN);
  const before = alarms.length > SHOWN ? shown.at(-1)?.alarmId : undefined;
  return (
    <ConsolePage context={context} section="alarms" title={words.title} lead={words.lead}>
      <Tabs label={words.state} links={tabs} current={pathOf({ name, openOnly })} />
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

/** On a later page newer alarms may exist, so the text does not say that there are none. */
function NoAlarms({ context, filter }: Pick<AlarmsProps, 'context' | 'filter'>) {
  const { alarms: words } = context.words;
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

/** Open alarms by name, each a link to all of that name. */
function OpenTable({ context, open }: Pick<AlarmsProps, 'context' | 'open'>) {
  const { alarms: words } = context.words;
  return (
    <DataTable
      label={words.byName}
      caption={words.byName}
      columns={[words.name, figure(words.count), words.newest, action(words.acknowledge)]}
      rows={open.map(({ name, open: many, newestId, newestAt }) => [
        <>
          {wordFor(words, name)}
          <a class={wordFor(words, name) === undefined ? 'id' : 'under id'} href={pathOf({ name, openOnly: true })}>
            {name}
          </a>
        </>,
        count(many),
        <span class="number">{dateTime(newestAt)}</span>,
        <form method="post" action={`/alarms/names/${encodeURIComponent(name)}`}>
          <Hidden fields={{ through: newestId }} />
          <Submit
            look="quiet small"
            text={many === 1 ? words.acknowledge : words.acknowledgeAll(count(many))}
            about={`: ${name}`}
          />
        </form>,
      ])}
    />
  );
}

function AlarmTable({ context, alarms }: Pick<AlarmsProps, 'context' | 'alarms'>) {
  const { alarms: words } = context.words;
  const nameOf = (actor: string | null) => (actor === null ? '–' : actorName(context.language, actor));
  return (
    <DataTable
      label={words.title}
      columns={[words.name, words.at, words.facts, words.state]}
      rows={alarms.map(({ alarmId, at, name, fields, acknowledgedAt, acknowledgedBy }) => [
        <Under of={wordFor(words, name) ?? name} text={name} class="id" />,
        <span class="number">{dateTime(at)}</span>,
        <Facts language={context.language} facts={fields} />,
        acknowledgedAt === null ? (
          <form method="post" action={`/alarms/${alarmId}`}>
            <Submit look="quiet small" text={words.acknowledge} about={`: ${name} ${alarmId}`} />
          </form>
        ) : (
          <span class="faint">{words.seen(nameOf(acknowledgedBy), dateTime(acknowledgedAt))}</span>
        ),
      ])}
    />
  );
}
