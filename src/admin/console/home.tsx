/** @jsxImportSource hono/jsx */
// The start page: items that need attention, and today's figures. With scripts, it updates itself: they request its changing
// part from LIVE_PATH and replace it.

import { MINUTE_MS } from '../../kit/clock.ts';
import { keepFor } from '../../kit/keep-for.ts';
import { taipeiTime } from '../../kit/taipei.ts';
import { sentences } from '../../site/format.ts';
import { NoticeBox } from '../../site/frame.tsx';
import { groupOpenAlarms } from '../actions/alarms.ts';
import { listActions } from '../actions/audit-log.ts';
import { listChannels } from '../actions/channels.ts';
import { listIncidents } from '../actions/incidents.ts';
import { auditResult } from '../actions/ledger.ts';
import { countBelowCost } from '../actions/model-table.ts';
import { readNewest } from '../actions/newest.ts';
import { type ProfitRow, showLosses, sumProfit } from '../actions/profit.ts';
import { listRetiring } from '../actions/retirements.ts';
import { createToday, type ReadToday } from '../actions/today.ts';
import { ChannelTable, needsAttention } from './channels/list.tsx';
import { readNicknames } from './customer.tsx';
import { type ConsoleContext, ConsolePage, countedAlarms } from './frame.tsx';
import { LowBalances, Title, TodayFigures, TopLists } from './home/lists.tsx';
import { DayChart } from './ledger/profit.tsx';
import { LIVE_PATH } from './sessions.ts';
import type { ConsoleTools } from './tools.ts';
import type { ConsoleVisits } from './visits.tsx';
import { Actions } from './watch/action-pages.tsx';
import { explainAlarm } from './watch/alarm-pages.tsx';

const DAYS = 30;
const SHOWN_ACTIONS = 5;
const SHOWN_INCIDENTS = 20;
const SHOWN_ALARMS = 20;

export function addHome(visits: ConsoleVisits, tools: ConsoleTools): void {
  const readToday = createToday(tools);
  // The sums of 30 days are the slowest read, so they are read once a minute for all visitors.
  const readDaily = keepFor(
    tools.clock,
    MINUTE_MS,
    async () => (await sumProfit(tools, { by: 'day', days: DAYS })).rows,
  );
  const facts = () => readFacts(tools, readToday, readDaily);
  visits.get('/', async ({ page: context, show }) => {
    const { home, today: words } = context.words;
    const stale = JSON.stringify({ stale: words.stale, signedOut: words.signedOut });
    return show(
      <ConsolePage context={context} title={home.title} script="console.js">
        <p class="notice is-warning" role="status" id="stale" hidden>
          <span /> <a href="/">{words.reload}</a>
        </p>
        <div data-live={LIVE_PATH} data-words={stale}>
          <Live context={context} facts={await facts()} />
        </div>
      </ConsolePage>,
    );
  });
  visits.file(LIVE_PATH, async ({ page, show }) => show(<Live context={page} facts={await facts()} />));
}

async function readFacts(tools: ConsoleTools, readToday: ReadToday, readDaily: () => Promise<readonly ProfitRow[]>) {
  const audit = auditResult(tools);
  const { document } = await readNewest(tools);
  const retiring = await listRetiring(document, tools.clock.now(), async () => undefined);
  const today = await readToday();
  return {
    today,
    nicknames: await readNicknames(tools, [
      ...today.customers.map(({ part }) => part),
      ...today.low.map(({ accountId }) => accountId),
    ]),
    daily: await readDaily(),
    lostToday: (await showLosses(tools, { by: 'reason', days: 1 })).total,
    actions: await listActions(tools, SHOWN_ACTIONS),
    needed: {
      channels: await listChannels(tools),
      openIncidents: (await listIncidents(tools, SHOWN_INCIDENTS)).filter(({ endedAt }) => endedAt === null).length,
      /** Null: no audit has finished yet. */
      isUnbalanced: audit ? audit.report.differences.length > 0 || audit.report.total !== 0n : null,
      /** Models that retire soon. */
      retiring: retiring.filter(({ inDays }) => inDays >= 0).map(({ model }) => model),
      belowCost: await countBelowCost(tools),
      critical: await criticalAlarms(tools),
    },
  };
}

/** The most severe groups come first; each name once. */
async function criticalAlarms(tools: ConsoleTools): Promise<string[]> {
  const { data } = await groupOpenAlarms(tools, { limit: SHOWN_ALARMS });
  return [...new Set(data.filter(({ severity }) => severity === 'critical').map(({ name }) => name))];
}

interface HomeProps {
  context: ConsoleContext;
  facts: Awaited<ReturnType<typeof readFacts>>;
}

function Live({ context, facts }: HomeProps) {
  const { today, nicknames, daily, lostToday, actions, needed } = facts;
  const { home, today: words, actions: actionWords } = context.words;
  return (
    <>
      <p class="faint as-of">
        {words.asOf(`${taipeiTime(today.at)} UTC+8`)}
        <span data-live-mark hidden>
          {' '}
          · {words.live}
        </span>
      </p>
      <Needs context={context} facts={facts} />
      <TodayFigures context={context} today={today} lostToday={lostToday} />
      <section class="is-brief is-states">
        <Title text={home.channels} path="/channels" link={words.allChannels} />
        <ChannelTable context={context} channels={needed.channels} />
      </section>
      <LowBalances context={context} today={today} nicknames={nicknames} />
      <TopLists context={context} today={today} nicknames={nicknames} />
      <DayChart context={context} daily={daily} />
      <p>
        <a href="/ledger/profit">{words.profitPage}</a>
      </p>
      <details class="fold">
        <summary>
          <h2>{home.latest}</h2>
        </summary>
        <Actions context={context} actions={actions} none={actionWords.none} />
        <p>
          <a href="/actions">{words.allActions}</a>
        </p>
      </details>
    </>
  );
}

/** Each item leads to the page where it is handled. */
function Needs({ context, facts: { needed } }: HomeProps) {
  const { channels, openIncidents, isUnbalanced, retiring, belowCost, critical } = needed;
  const words = context.words;
  const { home } = words;
  const unhealthy = channels.filter(needsAttention).map(({ name }) => name);
  const needs: { path: string; text: string; isBad?: boolean }[] = [
    ...critical.map((name) => ({
      path: '/alarms',
      text: home.criticalAlarm(explainAlarm(context, name)[0]),
      isBad: true,
    })),
    ...(isUnbalanced ? [{ path: '/ledger', text: home.unbalanced }] : []),
    ...(context.openAlarms?.count
      ? [{ path: '/alarms', text: home.openAlarms(countedAlarms(context.openAlarms)) }]
      : []),
    ...(unhealthy.length > 0 ? [{ path: '/channels', text: home.channelsBad(unhealthy.join(', ')) }] : []),
    ...(openIncidents > 0 ? [{ path: '/incidents', text: home.incidentsOpen(openIncidents) }] : []),
    ...(belowCost > 0 ? [{ path: '/models', text: words.models.belowCost(belowCost) }] : []),
    ...(retiring.length > 0 ? [{ path: '/models', text: home.retiring(retiring.join(', ')) }] : []),
    ...(channels.every(({ kind }) => kind === 'demo') ? [{ path: '/connect', text: home.noChannel }] : []),
  ];
  if (needs.length === 0) {
    // If the alarms are unknown, the page must not say that all is well.
    if (context.openAlarms === undefined) return null;
    if (isUnbalanced !== null) return <NoticeBox notice={{ text: home.calm }} />;
    return (
      <div class="notice is-unknown" role="status">
        <p>{sentences(home.calm, words.ledger.auditNever)}</p>
      </div>
    );
  }
  return (
    <section class="notice is-warning" aria-label={home.needs}>
      <ul>
        {needs.map(({ path, text, isBad }) => (
          <li class={isBad ? 'bad' : ''}>
            <a href={path}>{text}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}
