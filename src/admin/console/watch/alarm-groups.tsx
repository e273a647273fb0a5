/** @jsxImportSource hono/jsx */
// Open alarms by severity, the most severe first: each item is what happened to one account or channel, how often and since
// when. An item is acknowledged as a whole.

import type { Child } from 'hono/jsx';
import { SEVERITIES, type Severity } from '../../../kit/alarms.ts';
import { count, dateTime } from '../../../site/format.ts';
import { Submit } from '../../../site/parts/button.tsx';
import { Hidden } from '../../../site/parts/field.tsx';
import type { OpenAlarms } from '../../../store/reads.ts';
import type { Rated } from '../../actions/alarms.ts';
import type { Nicknames } from '../customer.tsx';
import type { ConsoleContext } from '../frame.tsx';
import { Facts } from './facts.tsx';

interface GroupsProps {
  context: ConsoleContext;
  groups: readonly Rated<OpenAlarms>[];
  nicknames: Nicknames;
}

export function AlarmGroups(props: GroupsProps) {
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
  const { alarmGroups: words } = context.words;
  const { open, newestAt, firstAt } = group;
  return (
    <AlarmItem
      {...{ context, alarm: group, facts: group.newestFields, nicknames }}
      times={
        <>
          <a href={groupPath(group)}>{words.count(count(open))}</a>
          <span class="under">{open === 1 ? dateTime(newestAt) : words.last(dateTime(newestAt))}</span>
          {open === 1 ? null : <span class="under">{words.since(dateTime(firstAt))}</span>}
        </>
      }
    >
      <AcknowledgeGroup context={context} group={group} />
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
export function AlarmItem({ context, alarm, facts, nicknames, mark, times, children }: ItemProps) {
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

export function SeverityMark({ context, severity }: { context: ConsoleContext; severity: Severity }) {
  return <span class={`severity is-${severity}`}>{context.words.alarmGroups[severity]}</span>;
}

/** The single alarms of a group. */
function groupPath({ name, subject }: OpenAlarms): string {
  return `/alarms?${new URLSearchParams({ name, subject })}`;
}

function AcknowledgeGroup({ context, group }: { context: ConsoleContext; group: OpenAlarms }) {
  const { alarms: words } = context.words;
  const { name, subject, open, newestId } = group;
  return (
    <form method="post" action={`/alarms/names/${encodeURIComponent(name)}`}>
      <Hidden fields={{ subject, through: newestId }} />
      <Submit
        look="quiet small"
        text={open === 1 ? words.acknowledge : words.acknowledgeAll(count(open))}
        about={`: ${name} ${subject}`.trimEnd()}
      />
    </form>
  );
}
