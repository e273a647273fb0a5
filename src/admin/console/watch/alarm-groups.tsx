/** @jsxImportSource hono/jsx */
// Open alarms as one table: each row is what happened to one account or channel, how often and since when, the most severe
// first. A row is acknowledged as a whole.

import type { Severity } from '../../../kit/alarms.ts';
import { count, dateTime } from '../../../site/format.ts';
import { wordFor } from '../../../site/language.ts';
import { IdLink, Submit } from '../../../site/parts/button.tsx';
import { Hidden } from '../../../site/parts/field.tsx';
import { action, DataTable, figure, Under } from '../../../site/parts/table.tsx';
import type { OpenAlarms } from '../../../store/reads.ts';
import type { Rated } from '../../actions/alarms.ts';
import { channelPath } from '../channels/list.tsx';
import { Customer, type Nicknames } from '../customer.tsx';
import type { ConsoleContext } from '../frame.tsx';
import { Facts, pathOfId } from './facts.tsx';

interface GroupsProps {
  context: ConsoleContext;
  groups: readonly Rated<OpenAlarms>[];
  nicknames: Nicknames;
}

export function AlarmGroups({ context, groups, nicknames }: GroupsProps) {
  const { alarms, alarmGroups: words } = context.words;
  return (
    <DataTable
      label={alarms.open}
      columns={[
        alarms.name,
        words.severity,
        words.subject,
        figure(words.count),
        words.last,
        words.newest,
        action(alarms.acknowledge),
      ]}
      rows={groups.map((group) => [
        <Under of={wordFor(alarms, group.name) ?? group.name} text={group.name} class="id" />,
        <SeverityMark context={context} severity={group.severity} />,
        <Subject subject={group.subject} nicknames={nicknames} />,
        <a href={groupPath(group)}>
          {count(group.open)}
          <span class="unseen"> {words.eachOf(group.name)}</span>
        </a>,
        <Under
          of={<span class="number">{dateTime(group.newestAt)}</span>}
          text={group.open === 1 ? '' : words.since(dateTime(group.firstAt))}
        />,
        <Facts language={context.language} facts={withoutSubject(group)} />,
        <AcknowledgeGroup context={context} group={group} />,
      ])}
    />
  );
}

export function SeverityMark({ context, severity }: { context: ConsoleContext; severity: Severity }) {
  return <span class={`severity is-${severity}`}>{context.words.alarmGroups[severity]}</span>;
}

function Subject({ subject, nicknames }: { subject: string; nicknames: Nicknames }) {
  if (subject === '') return <>–</>;
  if (nicknames.has(subject)) return <Customer accountId={subject} nicknames={nicknames} />;
  return <IdLink href={pathOfId(subject) ?? channelPath(subject)} text={subject} />;
}

/** The subject has a column of its own. */
function withoutSubject({ subject, newestFields }: OpenAlarms): Record<string, unknown> {
  return Object.fromEntries(Object.entries(newestFields).filter(([, value]) => value !== subject));
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
