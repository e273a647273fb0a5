// GET /api/public/status: how every model and channel is doing, from real traffic: now, and hour by hour; with `days=N`
// also day by day.

import type { ChannelStatus, HourFigures, ModelStatus } from '../../catalog/publishing/public-status.ts';
import { STATUS_DAYS } from '../../catalog/publishing/status-days.ts';
import type { WindowFigures } from '../../channels/recent-traffic.ts';
import { fault } from '../../faults/fault.ts';
import { HOUR_MS } from '../../kit/clock.ts';
import { requestUrl } from '../../kit/request-url.ts';
import type { Incident } from '../../store/rows.ts';
import type { Exchange, HttpTools } from '../exchange.ts';

export async function status(tools: HttpTools, { request }: Exchange): Promise<Response> {
  const days = readDays(requestUrl(request).searchParams.get('days'));
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
}

function readDays(text: string | null): number {
  if (text === null || text === '') return 0;
  if (!/^\d{1,2}$/.test(text) || Number(text) > STATUS_DAYS) {
    throw fault('invalid_request', { param: 'days', message: `days must be a whole number from 0 to ${STATUS_DAYS}.` });
  }
  return Number(text);
}

function publicModel({ id, free, state, channels }: ModelStatus, days: number) {
  return { id, free, state, channels: channels.map((channel) => publicChannel(channel, days)) };
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

function publicFigures({ requests, successRate, firstTokenMs, totalMs }: WindowFigures) {
  return { requests, success_rate: successRate, first_token_ms: firstTokenMs, total_ms: totalMs };
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
