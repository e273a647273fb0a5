/** @jsxImportSource hono/jsx */
// How long a model took to begin its answers, hour by hour, one line for each channel.

import type { ChannelStatus } from '../../catalog/publishing/public-status.ts';
import { HOUR_MS } from '../../kit/clock.ts';
import { dateTime, milliseconds } from '../format.ts';
import { type Language, wordsOf } from '../language.ts';
import { Chart, type ChartLook } from '../parts/chart.tsx';

const SHOWN_HOURS = 24;
/** More lines cannot be told apart; the table of channels has all of them. */
const LOOKS: readonly ChartLook[] = [1, 2, 3, 4, 5, 6];

interface SpeedChartProps {
  language: Language;
  /** The end of the time that is shown. */
  at: number;
  channels: readonly ChannelStatus[];
}

export function SpeedChart({ language, at, channels }: SpeedChartProps) {
  const { models } = wordsOf(language);
  const last = Math.floor(at / HOUR_MS);
  const hours = Array.from({ length: SHOWN_HOURS }, (_, index) => last - SHOWN_HOURS + 1 + index);
  const series = channels.slice(0, LOOKS.length).flatMap(({ name, hours: known }, index) => {
    const values = hours.map((hour) => known.find((one) => one.hour === hour)?.firstTokenMs.p50 ?? null);
    return values.every((value) => value === null) ? [] : [{ name, look: LOOKS[index] ?? 1, values }];
  });
  if (series.length === 0) return null;
  const columns = hours.map((hour) => {
    const title = dateTime(hour * HOUR_MS);
    return { label: title.slice(11, 16), title };
  });
  return (
    <>
      <h3>{models.firstTokenByHour}</h3>
      <p class="faint">{models.firstTokenHelp}</p>
      <Chart
        title={models.firstTokenByHour}
        columns={columns}
        series={series}
        format={milliseconds}
        kind="lines"
        tableText={models.asTable}
        columnText={models.hour}
      />
    </>
  );
}
