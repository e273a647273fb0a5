// GET /api/public/status: how every model and channel is doing, from real traffic: now, and hour by hour.

import type { Model } from '../../catalog/catalog.ts';
import { HOUR_MS, percentileOf, type WindowFigures } from '../../channels/traffic.ts';
import type { TrafficHour } from '../../store/rows.ts';
import type { Exchange, HttpTools } from '../exchange.ts';

const WINDOWS = { last_5_minutes: 5 * 60_000, last_hour: HOUR_MS };
const HISTORY_HOURS = 24;
const HEALTHY = 0.98;
const DEGRADED = 0.5;

export async function status(tools: HttpTools, _exchange: Exchange): Promise<Response> {
  const now = tools.clock.now();
  const hours = await tools.store.read.trafficSince(Math.floor(now / HOUR_MS) - HISTORY_HOURS + 1).catch(() => []);
  const data = tools.catalog().models.map((model) => modelStatus(tools, model, hours));
  return Response.json(
    { object: 'list', updated_at: new Date(now).toISOString(), data },
    { headers: { 'cache-control': 'public, max-age=10' } },
  );
}

function modelStatus({ relay }: HttpTools, model: Model, hours: readonly TrafficHour[]) {
  const breakers = relay.health.states();
  const channels = model.routes.map(({ channel, model: upstreamModel }) => {
    const breaker = breakers.find((one) => one.channel === channel.name && one.model === upstreamModel);
    const figures = Object.entries(WINDOWS).map(([name, ms]) => [
      name,
      publicFigures(relay.traffic.figures(channel.name, model.id, ms)),
    ]);
    return {
      name: channel.name,
      state: stateOf(breaker?.state ?? 'closed', relay.traffic.figures(channel.name, model.id, HOUR_MS)),
      ...Object.fromEntries(figures),
      history: hours.filter((hour) => hour.channel === channel.name && hour.model === model.id).map(publicHour),
    };
  });
  return { id: model.id, free: model.free, state: bestState(channels.map(({ state }) => state)), channels };
}

type State = 'operational' | 'degraded' | 'down' | 'unknown';

function stateOf(breaker: 'closed' | 'open' | 'probing', { successRate }: WindowFigures): State {
  if (breaker !== 'closed') return 'down';
  if (successRate === null) return 'unknown';
  return successRate >= HEALTHY ? 'operational' : successRate >= DEGRADED ? 'degraded' : 'down';
}

/** A model is as well as its best channel: the others are only there to help. */
function bestState(states: readonly State[]): State {
  const order: readonly State[] = ['operational', 'degraded', 'unknown', 'down'];
  return order.find((state) => states.includes(state)) ?? 'unknown';
}

function publicFigures({ requests, successRate, firstTokenMs, totalMs }: WindowFigures) {
  return { requests, success_rate: successRate, first_token_ms: firstTokenMs, total_ms: totalMs };
}

function publicHour({ hour, ok, failed, firstToken, total }: TrafficHour) {
  return {
    hour: new Date(hour * HOUR_MS).toISOString(),
    requests: ok + failed,
    success_rate: ok + failed === 0 ? null : ok / (ok + failed),
    first_token_ms: { p50: percentileOf(firstToken, 0.5), p95: percentileOf(firstToken, 0.95) },
    total_ms: { p50: percentileOf(total, 0.5), p95: percentileOf(total, 0.95) },
  };
}
