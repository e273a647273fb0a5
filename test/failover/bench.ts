// One gateway for all cells of the failover bench, in the plainest configuration. Every cell has models and an account of
// its own, so that no breaker and no bill of one is another's.

import { sleep } from '../../src/kit/clock.ts';
import { systemRandom } from '../../src/kit/random.ts';
import { freePort } from '../support/free-port.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { passTime } from '../support/pass-time.ts';
import type { Script } from '../support/script.ts';
import { untilHandedOver } from '../support/until-read.ts';
import { type ScriptedUpstream, type SeenRequest, startUpstream } from '../support/upstream.ts';
import { WIRE_CLIENTS } from '../support/wire-clients.ts';
import { createBenchClock } from './bench-clock.ts';
import { CELLS, type Cell } from './cells.ts';
import { FAULTS, type ProviderFault } from './faults.ts';
import { answer, FIRST, OTHER } from './upstream-scripts.ts';

export interface Answered {
  response: Response;
  text: string;
  /** In the gateway's time: until the answer began, and until it had ended. */
  begunMs: number;
  endedMs: number;
}

export interface Run {
  cell: Cell;
  model: string;
  fallback: string;
  channels: { first: string; other: string };
  account: TestAccount;
  /** Where the upstreams were asked. */
  paths: string[];
  calls: Answered[];
}

export interface Bench {
  gateway: TestGateway;
  /** All cells of one fault at once, and time passes only when each of them waits for it. */
  run(fault: ProviderFault): Promise<Run[]>;
  stop(): Promise<void>;
}

/** Longer than the gateway counts repeated tries, and shorter than a node's lease. */
const BETWEEN_CALLS_MS = 11_000;
/** After so long a new lease is waited for. */
const LEASED_MS = 3_000;
/** Any: pauses before a repeated try are then all of this length. */
const FRACTION = 0.35;
/** Between two tries of the gateway, by the fraction or the `retry-after` of a fault; and between two calls of a cell. */
const PAUSES_MS = [50 + FRACTION * 200, 4_000, BETWEEN_CALLS_MS];
/** Real time in which nothing came out of any cell: then nothing is on its way between two sockets of this machine. */
const QUIET_MS = 10;

/** A cell while it runs. */
interface Playing {
  run: Run;
  fault: ProviderFault;
  asked: number;
  /** The newest request; and the one that gets nothing until time has passed, once the client has heard this. */
  newest?: SeenRequest;
  waiting?: { request: SeenRequest; heard: string };
  /** What the client has of the answer. */
  heard: string;
  isDone: boolean;
}

export async function startBench(): Promise<Bench> {
  const clock = createBenchClock();
  const [first, second, closedPort] = [await startUpstream(), await startUpstream(), await freePort()];
  const gateway = await startTestGateway({
    clock,
    random: { ...systemRandom, fraction: () => FRACTION },
    document: (standard) => ({
      ...standard,
      channels: [...standard.channels, ...channelsOf(first, second, `http://127.0.0.1:${closedPort}/v1`)],
      models: [...standard.models, ...FAULTS.flatMap((fault) => CELLS.flatMap((cell) => modelsOf(fault, cell)))],
    }),
  });
  const playing = new Map<string, Playing>();
  /** Grows with whatever comes out of a cell. */
  let signs = 0;

  function serve(seen: SeenRequest, upstream: ScriptedUpstream): Script {
    signs++;
    const one = playing.get(seen.json.model);
    if (!one) throw new Error(`no cell plays for ${seen.path} ${seen.json.model}`);
    one.newest = seen;
    const { fault, run } = one;
    const { cell } = run;
    const isFallback = seen.json.model === run.fallback;
    const isFirst = isFallback ? cell.setup === 'same_channel' && fault.isOfChannel : upstream === first;
    run.paths.push(seen.path);
    const waits = (heard = '') => {
      one.waiting = { request: seen, heard };
    };
    const stage = { cell, clock, nth: one.asked, waits };
    if (fault.prefill && cell.client.prefillOf(seen.json) !== undefined) return cell.client.refusal(400, 'prefill');
    if (!isFirst) return answer(stage, fault.repeatsAnswer ? { ...OTHER, pieces: FIRST.pieces } : OTHER);
    one.asked++;
    return fault.play(stage) ?? answer(stage);
  }
  for (const upstream of [first, second]) upstream.otherwise((seen) => serve(seen, upstream));

  async function call(one: Playing): Promise<Answered> {
    const { cell, model, account } = one.run;
    const startedAt = clock.monotonic();
    const { client, form } = cell;
    const response = await gateway.call(client.path, {
      key: account.key,
      body: client.body({ model, stream: form === 'stream' }),
    });
    const begunMs = clock.monotonic() - startedAt;
    one.heard = '';
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) {
      signs++;
      one.heard += decoder.decode(bytes, { stream: true });
    }
    return { response, text: one.heard, begunMs, endedMs: clock.monotonic() - startedAt };
  }

  async function play(one: Playing): Promise<void> {
    try {
      for (let n = 0; n < (one.fault.calls ?? 1); n++) {
        if (n > 0) await sleep(clock, BETWEEN_CALLS_MS);
        one.run.calls.push(await call(one));
      }
    } finally {
      one.isDone = true;
    }
  }

  /** Whether nothing more happens in this cell until time has passed; pauses are counted apart. */
  const isWaiting = ({ waiting, newest, heard, isDone }: Playing) =>
    !isDone && waiting?.request === newest && waiting?.request.ended === false && heard.includes(waiting.heard);

  async function passTimeFor(cells: readonly Playing[]): Promise<void> {
    for (;;) {
      const before = signs;
      await untilHandedOver();
      await Bun.sleep(QUIET_MS);
      const open = cells.filter(({ isDone }) => !isDone).length;
      if (open === 0) return;
      const ms = clock.untilNextMs();
      const waiting = cells.filter(isWaiting).length + clock.countPending(PAUSES_MS);
      if (signs === before && waiting === open && ms !== undefined) await clock.advance(ms);
    }
  }

  return {
    gateway,
    async run(fault) {
      clock.setBy('jobs');
      await clock.advance(BETWEEN_CALLS_MS);
      await passTime(gateway, clock, LEASED_MS);
      const runs = await Promise.all(
        CELLS.map(
          async (cell): Promise<Run> => ({
            ...namesOf(fault, cell),
            cell,
            account: await gateway.register(),
            paths: [],
            calls: [],
          }),
        ),
      );
      const cells = runs.map((run): Playing => ({ run, fault, asked: 0, heard: '', isDone: false }));
      for (const one of cells) for (const id of [one.run.model, one.run.fallback]) playing.set(id, one);
      clock.setBy('calls');
      const ends = Promise.all(cells.map(play));
      await Promise.all([ends, passTimeFor(cells)]);
      return runs;
    },
    async stop() {
      await gateway.stop();
      await Promise.all([first.close(), second.close()]);
    },
  };
}

/** As the provider knows a model, so the gateway does. */
function namesOf(fault: ProviderFault, { client, form, setup }: Cell): Pick<Run, 'model' | 'fallback' | 'channels'> {
  const model = `fault-${FAULTS.indexOf(fault)}-${client.name}-${form}-${setup.replace('_', '-')}`;
  const first = fault.address
    ? `${client.name}-${fault.address === 'refused' ? 'refused' : 'unresolved'}`
    : `${client.name}-first`;
  const other = setup === 'same_channel' ? first : `${client.name}-second`;
  return { model, fallback: `${model}-fallback`, channels: { first, other } };
}

function channelsOf(first: ScriptedUpstream, second: ScriptedUpstream, closed: string): Record<string, unknown>[] {
  const unresolved = FAULTS.find(({ address }) => address?.startsWith('http'))?.address ?? '';
  return WIRE_CLIENTS.flatMap((client) => [
    client.channel(`${client.name}-first`, first.baseUrl),
    client.channel(`${client.name}-second`, second.baseUrl),
    client.channel(`${client.name}-refused`, closed),
    client.channel(`${client.name}-unresolved`, unresolved),
  ]);
}

export const PRICES = {
  model: { input: 10_000n, output: 40_000n },
  fallback: { input: 5_000n, output: 20_000n },
};

function modelsOf(fault: ProviderFault, cell: Cell): Record<string, unknown>[] {
  const { model, fallback, channels } = namesOf(fault, cell);
  const prefill = fault.prefill ? { prefill: true } : {};
  const route = (channel: string, name: string, priority = 1) => ({ channel, model: name, priority, ...prefill });
  const common = { context_tokens: 128_000, max_output_tokens: 1_000 };
  const price = { input: 10, output: 40 };
  if (cell.setup === 'second_route') {
    return [{ id: model, ...common, price, routes: [route(channels.first, model), route(channels.other, model, 2)] }];
  }
  return [
    { id: model, ...common, price, routes: [route(channels.first, model)], fallbacks: [fallback] },
    { id: fallback, ...common, price: { input: 5, output: 20 }, routes: [route(channels.other, fallback)] },
  ];
}
