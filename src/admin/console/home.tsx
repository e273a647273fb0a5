/** @jsxImportSource hono/jsx */
// The first page: what needs the operator, and how the shop is doing today.

import { count } from '../../site/format.ts';
import { Amount } from '../../site/parts/amount.tsx';
import type { StoredAction } from '../../store/rows.ts';
import { listActions } from '../actions/audit-log.ts';
import { type ChannelView, listChannels } from '../actions/channels.ts';
import { currentDocument } from '../actions/documents.ts';
import { listIncidents } from '../actions/incidents.ts';
import { auditResult, type DayRevenue, dailyRevenue } from '../actions/ledger.ts';
import { showLosses } from '../actions/losses.ts';
import { ChannelTable } from './channels/list.tsx';
import { needsAttention } from './channels/state-of.ts';
import { type ConsoleContext, ConsolePage, countedAlarms } from './frame/frame.tsx';
import type { ConsoleVisits } from './frame/visit.tsx';
import { MoneyBars } from './parts/money-bars.tsx';
import type { ConsoleTools } from './tools.ts';
import { Actions } from './watch/action-table.tsx';
import { consoleWords } from './words/words.ts';

const DAYS = 30;
const SHOWN_ACTIONS = 8;
const SHOWN_INCIDENTS = 20;

export function addHome(visits: ConsoleVisits, tools: ConsoleTools): void {
  visits.get('/', async (visit) => {
    const audit = auditResult(tools);
    const facts = {
      channels: await listChannels(tools),
      revenue: await dailyRevenue(tools, DAYS),
      lostToday: (await showLosses(tools, { by: 'reason', days: 1 })).total,
      openIncidents: (await listIncidents(tools, SHOWN_INCIDENTS)).filter(({ endedAt }) => endedAt === null).length,
      isUnbalanced: audit !== undefined && (audit.report.differences.length > 0 || audit.report.total !== 0n),
      revision: (await currentDocument(tools)).revision,
      actions: await listActions(tools, SHOWN_ACTIONS),
    };
    return visit.show(<HomePage context={visit.page} {...facts} />);
  });
}

interface HomeProps {
  context: ConsoleContext;
  channels: readonly ChannelView[];
  revenue: readonly DayRevenue[];
  lostToday: bigint;
  openIncidents: number;
  isUnbalanced: boolean;
  revision: number;
  actions: readonly StoredAction[];
}

function HomePage(props: HomeProps) {
  const { context, channels, revenue, lostToday, revision, actions } = props;
  const { home, ledger, losses, actions: actionWords } = consoleWords(context.language);
  const today = revenue.at(-1);
  return (
    <ConsolePage context={context} title={home.title} lead={home.lead}>
      <Needs {...props} />
      <div class="cards">
        <div>
          <p class="faint">{home.today}</p>
          <Amount value={today?.revenue ?? 0n} />
        </div>
        <Figure title={home.requests} text={count(today?.requests ?? 0)} />
        <Figure title={home.accounts} text={count(today?.accounts ?? 0)} />
        {lostToday > 0n ? (
          <div>
            <p class="faint">
              <a href="/ledger/losses">{losses.today}</a>
            </p>
            <Amount value={lostToday} />
          </div>
        ) : null}
        <div>
          <p class="faint">{home.revision}</p>
          <strong class="figure">
            <a href="/models/revisions">{home.revisionNumber(revision)}</a>
          </strong>
        </div>
      </div>
      <h2>{home.channels}</h2>
      <ChannelTable context={context} channels={channels} />
      <h2>{home.revenue}</h2>
      <MoneyBars
        language={context.language}
        days={revenue.map(({ day, revenue: amount }) => ({ day, amount }))}
        label={ledger.revenueLabel}
      />
      <h2>{home.latest}</h2>
      {actions.length === 0 ? (
        <p class="empty">{actionWords.none}</p>
      ) : (
        <Actions language={context.language} actions={actions} />
      )}
    </ConsolePage>
  );
}

function Figure({ title, text }: { title: string; text: string }) {
  return (
    <div>
      <p class="faint">{title}</p>
      <strong class="figure">{text}</strong>
    </div>
  );
}

function Needs({ context, channels, openIncidents, isUnbalanced }: HomeProps) {
  const words = consoleWords(context.language);
  const { home } = words;
  const troubled = channels.filter((channel) => needsAttention(channel, words)).map(({ name }) => name);
  const needs = [
    ...(isUnbalanced ? [{ path: '/ledger', text: home.unbalanced }] : []),
    ...(context.openAlarms ? [{ path: '/alarms', text: home.openAlarms(countedAlarms(context.openAlarms)) }] : []),
    ...(troubled.length > 0 ? [{ path: '/channels', text: home.channelsBad(troubled.join(', ')) }] : []),
    ...(openIncidents > 0 ? [{ path: '/incidents', text: home.incidentsOpen(openIncidents) }] : []),
    ...(channels.every(({ kind }) => kind === 'demo') ? [{ path: '/models/document', text: home.noChannel }] : []),
  ];
  if (needs.length === 0) {
    // With alarms unknown nobody can say that all is well.
    if (context.openAlarms === undefined) return null;
    return (
      <div class="notice" role="status">
        <p>{home.calm}</p>
      </div>
    );
  }
  return (
    <section class="notice is-warning" aria-label={home.needs}>
      <ul>
        {needs.map(({ path, text }) => (
          <li>
            <a href={path}>{text}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}
