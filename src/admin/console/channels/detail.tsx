/** @jsxImportSource hono/jsx */
// One channel: its settings, its state and the reason, a test call, and the switch.

import { count, dateTime, milliseconds, percent, sentences } from '../../../site/format.ts';
import { wordFor } from '../../../site/language.ts';
import { outcomeName } from '../../../site/parts/attempts.tsx';
import { LinkButton, Submit } from '../../../site/parts/button.tsx';
import { Chart } from '../../../site/parts/chart.tsx';
import { SelectField } from '../../../site/parts/field.tsx';
import { Facts, figure, TableSection, Under } from '../../../site/parts/table.tsx';
import { type ChannelView, showChannel } from '../../actions/channels.ts';
import { problemOfOutcome } from '../../actions/upstream-problems.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import type { Shown } from '../refused.ts';
import type { ConsoleVisit } from '../visits.tsx';
import { atMost, ChannelStateMark, channelPath } from './list.tsx';

interface ChannelProps {
  context: ConsoleContext;
  channel: ChannelView;
}

export async function showOneChannel(visit: ConsoleVisit, { notice, status = 200 }: Shown = {}): Promise<Response> {
  const channel = await showChannel(visit.tools, visit.params.name ?? '');
  const context = { ...visit.page, path: channelPath(channel.name), query: '' };
  const { channels, connect } = context.words;
  const verb = channel.enabled ? 'disable' : 'enable';
  return visit.show(
    <ConsolePage context={context} section="channels" title={channel.name} notice={notice}>
      <div class="row spread">
        <div>
          <ChannelStateMark language={context.language} channel={channel} />
        </div>
        <div class="row">
          {channel.kind === 'demo' ? null : (
            <LinkButton look="quiet" href={`${channelPath(channel.name)}/edit`} text={connect.edit} />
          )}
          <LinkButton look="quiet" href={`${channelPath(channel.name)}/${verb}`} text={channels[verb]} />
          <LinkButton look="quiet" href={`${channelPath(channel.name)}/remove`} text={connect.remove} />
        </div>
      </div>
      <ChannelFacts context={context} channel={channel} />
      <Test context={context} channel={channel} />
      <HourCharts context={context} channel={channel} />
      <Breakers context={context} channel={channel} />
      <RecentErrors context={context} channel={channel} />
      <p class="faint">{channels.thisNode}</p>
    </ConsolePage>,
    { status },
  );
}

function ChannelFacts({ context, channel }: ChannelProps) {
  const { channels, frame } = context.words;
  const keys = {
    none: channels.keyNone,
    stored: channels.keyStored,
    reference: channel.apiKeyReference ?? channels.keyStored,
  };
  const facts: [title: string, value: string][] = [
    [channels.kind, channel.kind],
    [channels.host, channel.baseUrlHost || '–'],
    [channels.endpoints, channel.endpoints.join(', ')],
    [channels.quirks, channel.quirks ?? frame.none],
    [channels.key, keys[channel.apiKey]],
    [channels.successHour, percent(channel.lastHour.successRate)],
    [channels.success, percent(channel.last24Hours.successRate)],
  ];
  if (channel.balance) facts.push([context.words.balances.title, describeBalance(context, channel.balance)]);
  // The list of models may be long, so it gets the whole width.
  return (
    <>
      <Facts facts={facts} />
      <Facts facts={[[channels.models, channel.models.join(', ') || frame.none]]} look="facts is-wide" />
    </>
  );
}

function describeBalance(
  { words: { balances } }: ConsoleContext,
  { balance, failure, alarmBelow, isLow }: NonNullable<ChannelView['balance']>,
): string {
  const failed = failure === null ? [] : [balances.failed(failure)];
  if (!balance) return failed.join('');
  const amount = (value: number) => `${balance.currency} ${value.toFixed(2)}`;
  const time = dateTime(balance.at);
  const shown =
    isLow && alarmBelow !== null
      ? balances.low(amount(balance.amount), time, amount(alarmBelow))
      : balances.readAt(amount(balance.amount), time);
  return sentences(shown, ...failed);
}

function Test({ context, channel }: ChannelProps) {
  const { channels } = context.words;
  return (
    <section>
      <h2>{channels.test}</h2>
      {channel.models.length === 0 ? (
        <p class="note">{channels.testNone}</p>
      ) : (
        <form method="post" action={`${channelPath(channel.name)}/test`} data-once>
          <p class="faint">{channels.testLead}</p>
          <div class="search">
            <SelectField
              name="model"
              label={channels.testModel}
              choices={[['', channels.testFirst], ...channel.models]}
            />
            <Submit text={channels.testButton} />
          </div>
        </form>
      )}
    </section>
  );
}

function Breakers({ context, channel }: ChannelProps) {
  const { channels } = context.words;
  const states = { closed: channels.closed, open: channels.opened, probing: channels.probing };
  const kinds = { closed: 'operational', open: 'down', probing: 'degraded' };
  return (
    <TableSection
      title={channels.breakers}
      none={channels.breakersNone}
      columns={[
        channels.upstreamModel,
        channels.state,
        channels.why,
        channels.since,
        channels.retry,
        figure(channels.failures),
      ]}
      rows={channel.breakers.map((breaker) => [
        <span class="id">{breaker.model}</span>,
        <span class={`state ${kinds[breaker.state]}`}>{states[breaker.state]}</span>,
        breaker.why === null ? '–' : (wordFor(channels, breaker.why) ?? breaker.why),
        breaker.since === null ? '–' : dateTime(breaker.since),
        breaker.retryAt === null ? '–' : dateTime(breaker.retryAt),
        String(breaker.failures),
      ])}
    />
  );
}

function RecentErrors({ context, channel }: ChannelProps) {
  const { channels, problems } = context.words;
  const groups = [...Map.groupBy(channel.lastErrors, ({ outcome }) => problemOfOutcome(outcome))];
  return (
    <TableSection
      title={channels.errors}
      none={channels.errorsNone}
      caption={channels.errorsLead(count(channel.lastErrors.length))}
      columns={[channels.meaning, figure(channels.times), channels.outcome, channels.models, channels.lastSeen]}
      rows={groups.map(([problem, errors]) => [
        <Under of={problems[problem].name} text={problems[problem].todo} />,
        count(errors.length),
        distinct(errors.map(({ outcome }) => outcome)).map((outcome) => (
          <p class="line">
            <Outcome context={context} outcome={outcome} />
          </p>
        )),
        <span class="id">{distinct(errors.map(({ model }) => model)).join(', ')}</span>,
        <span class="number">{dateTime(errors[0]?.at ?? 0)}</span>,
      ])}
    />
  );
}

function Outcome({ context, outcome }: { context: ConsoleContext; outcome: string }) {
  const name = outcomeName(context.language, outcome);
  if (name === outcome) return <span class="id">{outcome}</span>;
  return <Under of={name} text={outcome} class="id" />;
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

/** From `2026-11-18 09:00:00 UTC+8`. */
const HOUR_AND_MINUTE = [11, 16] as const;

function HourCharts({ context, channel }: ChannelProps) {
  const { channels } = context.words;
  if (channel.last24Hours.requests === 0) return <p class="empty">{channels.noTraffic}</p>;
  const { firstTokenMs, successRate, requests } = channel.last24Hours;
  const columns = channel.hours.map(({ at }) => {
    const title = dateTime(at);
    return { label: title.slice(...HOUR_AND_MINUTE), title };
  });
  const rates = channel.hours.map((hour) => hour.successRate);
  const texts = { columns, tableText: channels.asTable, columnText: channels.hourColumn };
  return (
    <div class="two">
      <section>
        <h2>{channels.successChart}</h2>
        {/* Both parts make a whole bar: an hour without any success is red from top to bottom. */}
        <Chart
          title={channels.successChart}
          format={percent}
          series={[
            { name: channels.failedPart, look: 'bad', values: rates.map((rate) => (rate === null ? null : 1 - rate)) },
            { name: channels.succeededPart, look: 'good', values: rates },
          ]}
          {...texts}
        />
        <p class="faint">{channels.successLabel(percent(successRate), count(requests))}</p>
      </section>
      <section>
        <h2>{channels.firstTokenChart}</h2>
        <Chart
          title={channels.firstTokenChart}
          kind="lines"
          format={milliseconds}
          series={[
            { name: channels.halfWithin, look: 1, values: channel.hours.map((hour) => hour.firstTokenMs.p50) },
            { name: channels.mostWithin, look: 2, values: channel.hours.map((hour) => hour.firstTokenMs.p95) },
          ]}
          {...texts}
        />
        <p class="faint">{channels.firstTokenLabel(atMost(firstTokenMs.p50), atMost(firstTokenMs.p95))}</p>
      </section>
    </div>
  );
}
