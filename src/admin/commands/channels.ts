// channels list, test: each channel's traffic, and one real call to it.

import type { Document } from '../../catalog/document.ts';
import { secretProblem } from '../../catalog/warn-document.ts';
import { HOUR_MS } from '../../kit/clock.ts';
import { readKeyFile } from '../../kit/key-file.ts';
import { percentOf } from '../../kit/percent.ts';
import type { TrafficHour } from '../../store/rows.ts';
import { sumHours } from '../actions/channels.ts';
import { readNewest } from '../actions/newest.ts';
import { testChannel } from '../actions/test-channel.ts';
import { ACTOR, type Command, CommandRefused } from './command.ts';
import { printTable } from './print-table.ts';

const HOURS_SHOWN = 24;

export const channelCommands: readonly Command[] = [
  {
    words: 'channels list',
    takes: '',
    about: 'every channel and model with its traffic of the last 24 hours',
    async run({ open }) {
      const tools = await open();
      const { document } = await readNewest(tools);
      const hours = await tools.store.read.trafficSince(Math.floor(tools.clock.now() / HOUR_MS) - HOURS_SHOWN + 1);
      const facts = [...listRoutes(document, hours), ...listRest(document, hours)];
      return {
        facts,
        text: printTable(
          ['channel', 'kind', 'state', 'model', 'requests', 'success', 'first token p50'],
          facts.map((row) => [
            row.channel,
            row.kind,
            row.enabled ? 'on' : 'off',
            row.model ?? '-',
            String(row.requests),
            row.success_rate === null ? '-' : `${percentOf(row.success_rate).toFixed(1)}%`,
            row.first_token_ms_p50 === null ? '-' : `<= ${row.first_token_ms_p50} ms`,
          ]),
        ),
      };
    },
  },
  {
    words: 'channels test',
    takes: 'NAME',
    about: "send one small real call to a channel, with its key from this command's environment",
    async run({ args: [name = ''], open, variable }) {
      const tools = await open();
      const { catalog } = await readNewest(tools);
      // Without a key that only the server has, the call would show nothing about the channel.
      const problem = secretProblem(catalog.channels.get(name)?.apiKey, { variable, readFile: readKeyFile });
      if (problem !== undefined) throw new CommandRefused(`${name} was not called: ${problem}; ${AS_THE_SERVER}`);
      const { firstByteMs, ...result } = await testChannel(tools, name, { actor: ACTOR });
      const facts = { ...result, first_byte_ms: firstByteMs };
      if (!result.ok) throw new CommandRefused(`${name} failed after ${result.ms} ms: ${result.detail}`, facts);
      return { facts, text: `${name} answered in ${result.ms} ms (${result.model})` };
    },
  },
];

const AS_THE_SERVER =
  "run the command with the server's environment and as its user, or test the channel in the console";

/** Includes routes to channels that are switched off, which the active catalog lacks. */
function listRoutes({ channels, models }: Document, hours: readonly TrafficHour[]) {
  const byName = new Map(channels.map((channel) => [channel.name, channel]));
  return models.flatMap(({ id, routes }) =>
    [...new Set(routes.map(({ channel }) => channel))].flatMap((name) => {
      const channel = byName.get(name);
      const routeHours = hours.filter((hour) => hour.channel === name && hour.model === id);
      return channel ? [rowOf(channel, id, routeHours)] : [];
    }),
  );
}

/**
 * Channels without routes, and traffic of models that have lost their route: so the rows of a channel sum to its
 * traffic.
 */
function listRest({ channels, models }: Document, hours: readonly TrafficHour[]) {
  return channels.flatMap((channel) => {
    const routed = models.filter(({ routes }) => routes.some((route) => route.channel === channel.name));
    const ids = new Set(routed.map(({ id }) => id));
    const rest = hours.filter((hour) => hour.channel === channel.name && !ids.has(hour.model));
    return routed.length === 0 || rest.length > 0 ? [rowOf(channel, null, rest)] : [];
  });
}

function rowOf({ name, kind, enabled }: Document['channels'][number], model: string | null, hours: TrafficHour[]) {
  const { requests, successRate, firstTokenMs } = sumHours(hours);
  return {
    channel: name,
    kind,
    enabled,
    model,
    requests,
    success_rate: successRate,
    first_token_ms_p50: firstTokenMs.p50,
  };
}
