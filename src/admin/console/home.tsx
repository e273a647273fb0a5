/** @jsxImportSource hono/jsx */
// The first page: what needs the operator, and how the shop is doing today.

import { count } from '../../site/format.ts';
import { NoticeBox } from '../../site/frame.tsx';
import { Figure } from '../../site/parts/amount.tsx';
import { MoneyBars } from '../../site/parts/bars.tsx';
import { listActions } from '../actions/audit-log.ts';
import { listChannels } from '../actions/channels.ts';
import { currentDocument } from '../actions/documents.ts';
import { listIncidents } from '../actions/incidents.ts';
import { auditResult, dailyRevenue } from '../actions/ledger.ts';
import { showLosses } from '../actions/losses.ts';
import { readNewest } from '../actions/newest.ts';
import { listRetiring } from '../actions/retirements.ts';
import { ChannelTable, needsAttention } from './channels/list.tsx';
import { type ConsoleContext, ConsolePage, countedAlarms } from './frame.tsx';
import type { ConsoleTools } from './tools.ts';
import type { ConsoleVisits } from './visits.tsx';
import { Actions } from './watch/action-table.tsx';

const DAYS = 30;
const SHOWN_ACTIONS = 8;
const SHOWN_INCIDENTS = 20;

export function addHome(visits: ConsoleVisits, tools: ConsoleTools): void {
  visits.get('/', async (visit) => {
    return visit.show(<HomePage context={visit.page} facts={await readFacts(tools)} />);
  });
}

async function readFacts(tools: ConsoleTools) {
  const audit = auditResult(tools);
  return {
    channels: await listChannels(tools),
    revenue: await dailyRevenue(tools, DAYS),
    lostToday: (await showLosses(tools, { by: 'reason', days: 1 })).total,
    openIncidents: (await listIncidents(tools, SHOWN_INCIDENTS)).filter(({ endedAt }) => endedAt === null).length,
    isUnbalanced: audit !== undefined && (audit.report.differences.length > 0 || audit.report.total !== 0n),
    revision: (await currentDocument(tools)).revision,
    retiring: await listRetiring((await readNewest(tools)).document, tools.clock.now(), async () => undefined),
    actions: await listActions(tools, SHOWN_ACTIONS),
  };
}

interface HomeProps {
  context: ConsoleContext;
  facts: Awaited<ReturnType<typeof readFacts>>;
}

function HomePage({ context, facts }: HomeProps) {
  const { channels, revenue, lostToday, revision, actions } = facts;
  const { home, ledger, losses, actions: actionWords } = context.words;
  const today = revenue.at(-1);
  return (
    <ConsolePage context={context} title={home.title} lead={home.lead}>
      <Needs context={context} facts={facts} />
      <div class="cards">
        <Figure title={home.today} value={today?.revenue ?? 0n} />
        <Figure title={home.requests} value={count(today?.requests ?? 0)} />
        <Figure title={home.accounts} value={count(today?.accounts ?? 0)} />
        {lostToday > 0n ? <Figure title={<a href="/ledger/losses">{losses.today}</a>} value={lostToday} /> : null}
        <Figure title={home.revision} value={<a href="/models/revisions">{home.revisionNumber(revision)}</a>} />
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
      <Actions context={context} actions={actions} none={actionWords.none} />
    </ConsolePage>
  );
}

function Needs({ context, facts: { channels, openIncidents, isUnbalanced, retiring } }: HomeProps) {
  const words = context.words;
  const { home } = words;
  const troubled = channels.filter((channel) => needsAttention(channel, words)).map(({ name }) => name);
  const retiringSoon = retiring.filter(({ inDays }) => inDays >= 0).map(({ model }) => model);
  const needs = [
    ...(isUnbalanced ? [{ path: '/ledger', text: home.unbalanced }] : []),
    ...(context.openAlarms ? [{ path: '/alarms', text: home.openAlarms(countedAlarms(context.openAlarms)) }] : []),
    ...(troubled.length > 0 ? [{ path: '/channels', text: home.channelsBad(troubled.join(', ')) }] : []),
    ...(openIncidents > 0 ? [{ path: '/incidents', text: home.incidentsOpen(openIncidents) }] : []),
    ...(retiringSoon.length > 0 ? [{ path: '/models', text: home.retiring(retiringSoon.join(', ')) }] : []),
    ...(channels.every(({ kind }) => kind === 'demo') ? [{ path: '/models/document', text: home.noChannel }] : []),
  ];
  if (needs.length === 0) {
    // If the alarms are unknown, the page must not say that all is well.
    if (context.openAlarms === undefined) return null;
    return <NoticeBox notice={{ text: home.calm }} />;
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
