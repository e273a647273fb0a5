/** @jsxImportSource hono/jsx */
// How long a model took to begin its answers in the last seven days, one line for each channel.

import { atMost, dateTime, milliseconds } from '../format.ts';
import { type Language, wordsOf } from '../language.ts';
import { Chart, type ChartLook } from '../parts/chart.tsx';
import type { ModelChannel } from './model-facts.ts';

/** More lines cannot be told apart; the table of channels has all of them. */
const LOOKS: readonly ChartLook[] = [1, 2, 3, 4, 5, 6];

/** More labels would touch each other on a phone. */
const LABEL_EVERY = 8;

export function SpeedChart({ language, channels }: { language: Language; channels: readonly ModelChannel[] }) {
  const { models } = wordsOf(language);
  const series = channels.slice(0, LOOKS.length).flatMap(({ name, week }, index) => {
    const values = week.steps.map(({ firstTokenMs }) => firstTokenMs);
    return values.every((value) => value === null) ? [] : [{ name, look: LOOKS[index] ?? 1, values }];
  });
  if (series.length === 0) return null;
  const columns = (channels[0]?.week.steps ?? []).toReversed().map(({ at }, index) => {
    const title = dateTime(at).slice(0, 16);
    return { label: index % LABEL_EVERY === 0 ? title.slice(5, 10) : '', title };
  });
  return (
    <>
      <h3>{models.firstTokenChart}</h3>
      <p class="faint">{models.firstTokenHelp}</p>
      <Chart
        title={models.firstTokenChart}
        columns={columns.toReversed()}
        series={series}
        format={atMost}
        axisFormat={milliseconds}
        kind="lines"
        tableText={models.asTable}
        columnText={models.sixHours}
      />
    </>
  );
}
