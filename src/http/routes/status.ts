// GET /api/public/status: the state of every model and channel, from real traffic: now, and hour by hour; with `days=N` also
// day by day.

import { z } from 'zod';
import { readQuery } from '../../accounts/read-shape.ts';
import type { ChannelStatus, HourFigures, ModelStatus } from '../../catalog/publishing/public-status.ts';
import { STATUS_DAYS } from '../../catalog/publishing/status-days.ts';
import type { WindowFigures } from '../../channels/traffic.ts';
import { HOUR_MS } from '../../kit/clock.ts';
import { requestUrl } from '../../kit/request-url.ts';
import { count, flag, idOf, isDemo, isList, named, number, text, time } from '../../kit/shapes.ts';
import type { Incident } from '../../store/rows.ts';
import { openRoute } from '../operation.ts';

const DAYS = `days must be a whole number from 0 to ${STATUS_DAYS}.`;

const query = z.object({
  days: text
    .refine((days) => /^\d{1,2}$/.test(days) && Number(days) <= STATUS_DAYS, DAYS)
    .optional()
    .meta({
      type: 'integer',
      minimum: 0,
      maximum: STATUS_DAYS,
      default: 0,
      description: 'Also the state of each of the last days in Taipei.',
    }),
});

const state = z.enum(['operational', 'degraded', 'down', 'unknown']);
const percentiles = z.object({ p50: number.nullable(), p95: number.nullable() });
const figures = {
  requests: count,
  success_rate: number.min(0).max(1).nullable(),
  first_token_ms: percentiles.describe('Of streams.'),
  total_ms: percentiles.describe('Of streams.'),
  whole_ms: percentiles.describe('The total time of answers that were not streamed.'),
};
const inBothLanguages = z.object({ en: text, 'zh-TW': text });

const status = named('Status', {
  object: isList,
  updated_at: time,
  data: z.array(
    z.object({
      id: text,
      free: flag,
      demo: isDemo,
      state,
      channels: z.array(
        z.object({
          name: text,
          state,
          last_5_minutes: z.object(figures),
          last_hour: z.object(figures),
          history: z
            .array(z.object({ hour: time, ...figures }))
            .describe('The last 24 hours that had traffic. Their times are upper bounds, the ends of histogram steps.'),
          days: z
            .array(z.object({ day: text.meta({ format: 'date' }), state }))
            .optional()
            .describe('Only if asked for; oldest first.'),
        }),
      ),
    }),
  ),
  incidents: z
    .array(
      z.object({
        id: idOf('inc'),
        started_at: time,
        ended_at: time.nullable(),
        title: inBothLanguages,
        text: inBothLanguages,
      }),
    )
    .describe('Incidents that the operator published, newest first.'),
});

export const showStatus = openRoute('GET /api/public/status', {
  id: 'showStatus',
  tag: 'public',
  summary: 'Health of models and channels, from real traffic',
  query,
  result: 'The status.',
  answer: status,
  faults: ['invalid_request', 'internal_error'],
  async handle(tools, { request }) {
    const days = Number(readQuery(query, requestUrl(request).searchParams).days ?? 0);
    const { at, models, incidents } = await tools.status();
    return Response.json(
      {
        object: 'list',
        updated_at: new Date(at).toISOString(),
        data: models.map((model) => publicModel(model, days)),
        incidents: incidents.map(publicIncident),
      },
      { headers: { 'cache-control': 'public, max-age=10' } },
    );
  },
});

function publicModel({ id, free, demo, state, channels }: ModelStatus, days: number) {
  const shown = channels.map((channel) => publicChannel(channel, days));
  return { id, free, ...(demo ? { demo: true } : {}), state, channels: shown };
}

function publicChannel({ name, state, last5Minutes, lastHour, hours, days }: ChannelStatus, daysAsked: number) {
  return {
    name,
    state,
    last_5_minutes: publicFigures(last5Minutes),
    last_hour: publicFigures(lastHour),
    history: hours.map(publicHour),
    ...(daysAsked > 0 ? { days: days.slice(-daysAsked) } : {}),
  };
}

function publicFigures({ requests, successRate, firstTokenMs, totalMs, wholeMs }: WindowFigures) {
  const times = { first_token_ms: firstTokenMs, total_ms: totalMs, whole_ms: wholeMs };
  return { requests, success_rate: successRate, ...times };
}

function publicHour({ hour, ...figures }: HourFigures) {
  return { hour: new Date(hour * HOUR_MS).toISOString(), ...publicFigures(figures) };
}

function publicIncident({ incidentId, startedAt, endedAt, titleEn, titleZh, textEn, textZh }: Incident) {
  return {
    id: incidentId,
    started_at: new Date(startedAt).toISOString(),
    ended_at: endedAt === null ? null : new Date(endedAt).toISOString(),
    title: { en: titleEn, 'zh-TW': titleZh },
    text: { en: textEn, 'zh-TW': textZh },
  };
}
