/** @jsxImportSource hono/jsx */
// Alarms: the open ones in groups, each with what it means; and single ones, newest first.

import type { Child } from 'hono/jsx';
import { SEVERITIES, type Severity } from '../../../kit/alarms.ts';
import { count, dateTime } from '../../../site/format.ts';
import { Tabs } from '../../../site/frame.tsx';
import { Submit } from '../../../site/parts/button.tsx';
import { Hidden } from '../../../site/parts/field.tsx';
import { wholeNumber } from '../../../site/read-form.ts';
import type { OpenAlarms, StoredAlarm } from '../../../store/reads.ts';
import {
  type AlarmFilter,
  acknowledge,
  acknowledgeAll,
  groupOpenAlarms,
  listAlarms,
  type Rated,
} from '../../actions/alarms.ts';
import { OperatingRefused } from '../../actions/refused.ts';
import { type Nicknames, readNicknames } from '../customer.tsx';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import { ACTOR } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';
import { actorName } from './action-pages.tsx';
import { Facts } from './facts.tsx';

const SHOWN = 60;
/** A row of a group is longer. */
const GROUPS = 40;

export function addAlarmPages(visits: ConsoleVisits): void {
  visits.get('/alarms', show);
  visits.post('/alarms/:id', (visit) =>
    acknowledged(visit, visit.page.words.alarms.done, () => acknowledge(visit.tools, Number(visit.params.id), ACTOR)),
  );
  visits.post('/alarms/names/:name', (visit) => {
    const { form, page, params, tools } = visit;
    const subject = form.get('subject') ?? undefined;
    const wanted = { name: params.name ?? '', subject, through: wholeNumber(form, 'through') };
    const text = subject === undefined ? page.words.alarms.allDone : page.words.alarmGroups.acknowledged;
    return acknowledged(visit, text, () => acknowledgeAll(tools, wanted, ACTOR));
  });
}

function accountOf({ fields }: StoredAlarm): string | null {
  return typeof fields.account_id === 'string' ? fields.account_id : null;
}

async function acknowledged(visit: ConsoleVisit, text: string, act: () => Promise<unknown>): Promise<Response> {
  await act().catch((error: unknown) => {
    // Another operator has acknowledged it meanwhile.
    if (!(error instanceof OperatingRefused) || error.code !== 'already_done') throw error;
  });
  return visit.goWith('/alarms', { notice: { text } });
}

/** Open alarms of every name in groups, or single ones. */
async function show(visit: ConsoleVisit): Promise<Response> {
  const { page: context, tools } = visit;
  const { searchParams } = visit.url;
  const { alarms: words, alarmGroups } = context.words;
  const filter = {
    openOnly: !searchParams.has('all'),
    name: searchParams.get('name') || undefined,
    subject: searchParams.get('subject') ?? undefined,
    before: wholeNumber(searchParams, 'before'),
  };
  const { openOnly, name, subject = '' } = filter;
  const isGrouped = openOnly && name === undefined && filter.before === undefined;
  const cursor = searchParams.get('cursor') || undefined;
  const groups = isGrouped ? await groupOpenAlarms(tools, { limit: GROUPS, cursor }) : undefined;
  const alarms = isGrouped ? [] : await listAlarms(tools, SHOWN + 1, filter);
  const accounts = groups ? groups.data.map((group) => group.subject) : alarms.map(accountOf);
  const nicknames = await readNicknames(tools, accounts);
  const tabs = [
    { path: pathOf({ ...filter, openOnly: true, before: undefined }), text: words.open },
    { path: pathOf({ ...filter, openOnly: false, before: undefined }), text: words.all },
  ];
  const shown = alarms.slice(0, SHOWN);
  const before = alarms.length > SHOWN ? shown.at(-1)?.alarmId : undefined;
  const isFirst = (isGrouped ? cursor : filter.before) === undefined;
  const isEmpty = groups ? groups.data.length === 0 : shown.length === 0;
  return visit.show(
    <ConsolePage context={context} section="alarms" title={words.title} lead={words.lead}>
      <Tabs label={words.state} links={tabs} current={tabs[openOnly ? 0 : 1]?.path} />
      {name === undefined ? null : (
        <p class="faint">
          {words.only(alarmGroups.only(name, subject))} · <a href={pathOf({ openOnly })}>{words.everyName}</a>
        </p>
      )}
      {isEmpty ? <NoAlarms context={context} filter={filter} isFirst={isFirst} /> : null}
      {groups && !isEmpty ? <AlarmGroups {...{ context, groups: groups.data, nicknames }} /> : null}
      {shown.length === 0 ? null : <AlarmList {...{ context, alarms: shown, nicknames }} />}
      {groups && (groups.nextCursor || !isFirst) ? (
        <p class="row">
          {isFirst ? null : <a href="/alarms">{alarmGroups.first}</a>}
          {groups.nextCursor ? <a href={`/alarms?cursor=${groups.nextCursor}`}>{alarmGroups.more}</a> : null}
        </p>
      ) : null}
      {before === undefined ? null : (
        <p>
          <a href={pathOf({ ...filter, before })}>{words.older}</a>
        </p>
      )}
    </ConsolePage>,
  );
}

/** On a later page newer alarms may exist, so the text does not say that there are none. */
function NoAlarms({ context, filter, isFirst }: { context: ConsoleContext; filter: AlarmFilter; isFirst: boolean }) {
  const { alarms: words } = context.words;
  if (isFirst) return <p class="empty">{filter.openOnly ? words.noneOpen : words.none}</p>;
  return (
    <p class="empty">
      {words.noneOlder} <a href={pathOf({ ...filter, before: undefined })}>{words.toNewest}</a>
    </p>
  );
}

function pathOf({ openOnly, name, subject, before }: AlarmFilter): string {
  const query = new URLSearchParams();
  if (name !== undefined) query.set('name', name);
  if (name !== undefined && subject !== undefined) query.set('subject', subject);
  if (before !== undefined) query.set('before', String(before));
  const parts = [openOnly ? '' : 'all', query.toString()].filter((part) => part !== '');
  return parts.length === 0 ? '/alarms' : `/alarms?${parts.join('&')}`;
}

interface ListProps {
  context: ConsoleContext;
  alarms: readonly Rated<StoredAlarm>[];
  nicknames: Nicknames;
}

function AlarmList({ context, alarms, nicknames }: ListProps) {
  const { alarms: words } = context.words;
  const nameOf = (actor: string | null) => (actor === null ? '–' : actorName(context.language, actor));
  return (
    <ul class="alarms">
      {alarms.map((alarm) => {
        const { alarmId, at, name, severity, fields, acknowledgedAt, acknowledgedBy } = alarm;
        return (
          <AlarmItem
            {...{ context, alarm, facts: fields, nicknames }}
            mark={<SeverityMark context={context} severity={severity} />}
            times={<span class="number">{dateTime(at)}</span>}
          >
            {acknowledgedAt === null ? (
              <form method="post" action={`/alarms/${alarmId}`}>
                <Submit look="quiet small" text={words.acknowledge} about={`: ${name} ${alarmId}`} />
              </form>
            ) : (
              <span class="faint">{words.seen(nameOf(acknowledgedBy), dateTime(acknowledgedAt))}</span>
            )}
          </AlarmItem>
        );
      })}
    </ul>
  );
}

interface GroupsProps {
  context: ConsoleContext;
  groups: readonly Rated<OpenAlarms>[];
  nicknames: Nicknames;
}

function AlarmGroups(props: GroupsProps) {
  return SEVERITIES.map((severity) => {
    const groups = props.groups.filter((group) => group.severity === severity);
    if (groups.length === 0) return null;
    return (
      <section>
        <h2 class="alarm-severity">
          <SeverityMark context={props.context} severity={severity} />
        </h2>
        <ul class="alarms">
          {groups.map((group) => (
            <Group {...props} group={group} />
          ))}
        </ul>
      </section>
    );
  });
}

function Group({ context, group, nicknames }: Omit<GroupsProps, 'groups'> & { group: Rated<OpenAlarms> }) {
  const { alarms, alarmGroups: words } = context.words;
  const { name, subject, open, newestAt, newestId, firstAt } = group;
  return (
    <AlarmItem
      {...{ context, alarm: group, facts: group.newestFields, nicknames }}
      times={
        <>
          <a href={`/alarms?${new URLSearchParams({ name, subject })}`}>{words.count(count(open))}</a>
          <span class="under">{open === 1 ? dateTime(newestAt) : words.last(dateTime(newestAt))}</span>
          {open === 1 ? null : <span class="under">{words.since(dateTime(firstAt))}</span>}
        </>
      }
    >
      <form method="post" action={`/alarms/names/${encodeURIComponent(name)}`}>
        <Hidden fields={{ subject, through: newestId }} />
        <Submit
          look="quiet small"
          text={open === 1 ? alarms.acknowledge : alarms.acknowledgeAll(count(open))}
          about={`: ${name} ${subject}`.trimEnd()}
        />
      </form>
    </AlarmItem>
  );
}

interface ItemProps {
  context: ConsoleContext;
  alarm: Rated<{ name: string }>;
  facts: Readonly<Record<string, unknown>>;
  nicknames: Nicknames;
  /** Before what happened. */
  mark?: Child;
  times: Child;
  /** Possible actions, or the one that was taken. */
  children?: Child;
}

/** One alarm, or a group of the same: what happened, when, and what can be done. */
function AlarmItem({ context, alarm, facts, nicknames, mark, times, children }: ItemProps) {
  const [happened, meaning] = explainAlarm(context, alarm.name);
  return (
    <li class={`alarm is-${alarm.severity}`}>
      <div>
        <p class="alarm-title">
          {happened} {mark}
        </p>
        {meaning === undefined ? null : <p>{meaning}</p>}
        <p class="alarm-facts">
          <span class="id faint">{alarm.name}</span>
          {Object.keys(facts).length === 0 ? null : (
            <Facts language={context.language} facts={facts} nicknames={nicknames} />
          )}
        </p>
      </div>
      <p class="alarm-times">{times}</p>
      <div class="alarm-state">{children}</div>
    </li>
  );
}

/** The name alone for an alarm of another version. */
export function explainAlarm({ words }: ConsoleContext, name: string): readonly [happened: string, meaning?: string] {
  const [happened = name, meaning] =
    Object.entries(words.alarmGroups.explained).find(([known]) => known === name)?.[1] ?? [];
  return meaning === undefined ? [happened] : [happened, meaning];
}

function SeverityMark({ context, severity }: { context: ConsoleContext; severity: Severity }) {
  return <span class={`severity is-${severity}`}>{context.words.alarmGroups[severity]}</span>;
}
