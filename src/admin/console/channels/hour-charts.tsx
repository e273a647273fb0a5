/** @jsxImportSource hono/jsx */
// A channel's last 24 hours: which part of its requests succeeded, and how long the first token took.

import { count, dateTime, milliseconds, percent } from '../../../site/format.ts';
import { Chart } from '../../../site/parts/chart.tsx';
import type { ChannelView } from '../../actions/channels.ts';
import type { ConsoleContext } from '../frame.tsx';
import { atMost } from './list.tsx';

/** From `2026-11-18 09:00:00 UTC+8`. */
const HOUR_AND_MINUTE = [11, 16] as const;

export function HourCharts({ context, channel }: { context: ConsoleContext; channel: ChannelView }) {
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
