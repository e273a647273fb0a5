/** @jsxImportSource hono/jsx */
// Alarms: what is open first, each with what it means.

import { acknowledge, listAlarms } from '../../../operating/alarms.ts';
import { OperatingRefused } from '../../../operating/refused.ts';
import type { StoredAlarm } from '../../../store/rows.ts';
import { dateTime } from '../../format.ts';
import { consoleWords } from '../../words/console/words.ts';
import { type ConsoleContext, ConsolePage, type Notice } from '../frame/frame.tsx';
import type { ConsoleVisits } from '../frame/visit.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { attempt } from '../parts/refused.ts';
import { ACTOR, type ConsoleTools } from '../tools.ts';
import { Facts } from './action-table.tsx';

const SHOWN = 200;

export function addAlarmPages(visits: ConsoleVisits, tools: ConsoleTools): void {
  visits.get('/alarms', async (visit) => {
    const { alarms: words } = consoleWords(visit.page.language);
    const openOnly = !visit.url.searchParams.has('all');
    const alarms = await listAlarms(tools, SHOWN, { openOnly });
    const notice = visit.url.searchParams.has('seen') ? { text: words.done } : undefined;
    return visit.show(<AlarmsPage context={visit.page} alarms={alarms} openOnly={openOnly} notice={notice} />);
  });
  visits.post('/alarms/:id', async (visit) => {
    const done = await attempt(() => acknowledge(tools, Number(visit.params.id), ACTOR));
    // Who was faster has seen it, too.
    if (done instanceof OperatingRefused && done.code !== 'already_done') throw done;
    return visit.go('/alarms?seen');
  });
}

interface AlarmsProps {
  context: ConsoleContext;
  alarms: readonly StoredAlarm[];
  openOnly: boolean;
  notice?: Notice | undefined;
}

function AlarmsPage({ context, alarms, openOnly, notice }: AlarmsProps) {
  const { alarms: words } = consoleWords(context.language);
  const current = { 'aria-current': 'page' as const };
  return (
    <ConsolePage context={context} section="alarms" title={words.title} lead={words.lead} notice={notice}>
      <nav class="tabs" aria-label={words.state}>
        <a href="/alarms" {...(openOnly ? current : {})}>
          {words.open}
        </a>
        <a href="/alarms?all" {...(openOnly ? {} : current)}>
          {words.all}
        </a>
      </nav>
      {alarms.length === 0 ? (
        <p class="empty">{openOnly ? words.noneOpen : words.none}</p>
      ) : (
        <AlarmTable context={context} alarms={alarms} />
      )}
    </ConsolePage>
  );
}

function AlarmTable({ context, alarms }: Pick<AlarmsProps, 'context' | 'alarms'>) {
  const { alarms: words } = consoleWords(context.language);
  const meanings: Readonly<Record<string, string>> = meaningsOf(words);
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
        <Facts facts={fields} />,
        acknowledgedAt === null ? (
          <form method="post" action={`/alarms/${alarmId}`}>
            <button type="submit" class="quiet small">
              {words.acknowledge}
              <span class="unseen">: {`${name} ${alarmId}`}</span>
            </button>
          </form>
        ) : (
          <span class="faint">{words.seen(acknowledgedBy ?? '–', dateTime(acknowledgedAt))}</span>
        ),
      ])}
    />
  );
}

function meaningsOf(words: ReturnType<typeof consoleWords>['alarms']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(words).flatMap(([name, said]) => (typeof said === 'string' ? [[name, said]] : [])),
  );
}
