// channels list, test: how each channel has been doing, and one real call to it.

import type { Catalog } from '../../catalog/catalog.ts';
import { HOUR_MS } from '../../channels/traffic.ts';
import { sumHours } from '../../operating/channels.ts';
import { readNewest } from '../../operating/newest.ts';
import { testChannel } from '../../operating/test-channel.ts';
import type { TrafficHour } from '../../store/rows.ts';
import { ACTOR, type Command, noArguments, oneArgument, Refused } from '../command.ts';
import { printTable } from '../print-table.ts';

const HOURS_SHOWN = 24;

export const channelCommands: readonly Command[] = [
  {
    words: 'channels list',
    takes: '',
    about: 'every channel and model with its traffic of the last 24 hours',
    options: [],
    async run({ args, open }) {
      noArguments(args);
      const tools = await open();
      const { catalog } = await readNewest(tools);
      const hours = await tools.store.read.trafficSince(Math.floor(tools.clock.now() / HOUR_MS) - HOURS_SHOWN + 1);
      const facts = listRoutes(catalog, hours);
      return {
        facts,
        text: printTable(
          ['channel', 'kind', 'model', 'requests', 'success', 'first token p50'],
          facts.map((row) => [
            row.channel,
            row.kind,
            row.model,
            String(row.requests),
            row.success_rate === null ? '-' : `${(row.success_rate * 100).toFixed(1)}%`,
            row.first_token_ms_p50 === null ? '-' : `${row.first_token_ms_p50} ms`,
          ]),
        ),
      };
    },
  },
  {
    words: 'channels test',
    takes: 'NAME',
    about: 'one small real call to a channel',
    options: [],
    async run({ args, open }) {
      const name = oneArgument(args, 'NAME');
      const { firstTokenMs, ...result } = await testChannel(await open(), name, { actor: ACTOR });
      const facts = { ...result, first_token_ms: firstTokenMs };
      if (!result.ok) throw new Refused(`${name} failed after ${result.ms} ms: ${result.detail}`, facts);
      return { facts, text: `${name} answered in ${result.ms} ms (${result.model})` };
    },
  },
];

function listRoutes({ models }: Catalog, hours: readonly TrafficHour[]) {
  return models.flatMap((model) =>
    model.routes.map(({ channel }) => {
      const own = hours.filter((hour) => hour.channel === channel.name && hour.model === model.id);
      const { requests, successRate, firstTokenMs } = sumHours(own);
      return {
        channel: channel.name,
        kind: channel.kind,
        model: model.id,
        requests,
        success_rate: successRate,
        first_token_ms_p50: firstTokenMs.p50,
      };
    }),
  );
}
