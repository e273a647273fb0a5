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
import { modelAsked } from '../support/wire-clients.ts';
import { createBenchClock } from './bench-clock.ts';
import { CELLS, type Cell } from './cells.ts';
import { channelsAt, modelsOf, type Names, namesOf } from './document.ts';
import { FAULTS, type ProviderFault } from './faults.ts';
import { answer, FIRST, OTHER } from './upstream-scripts.ts';

export interface Answered {
  response: Response;
  text: string;
  /** In the gateway's time: until the answer began, and until it had ended. */
  begunMs: number;
  endedMs: number;
}

export interface Run extends Names {
  cell: Cell;
  account: TestAccount;
  /** What the upstreams were asked. */
  requests: readonly SeenRequest[];
  calls: Answered[];
}

export interface Bench {
  gateway: TestGateway;
  /** All cells of one fault, streams before whole answers, and time passes only when each of them waits for it. */
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

/** Cells that run at once. A gateway with so little traffic repeats ten tries in ten seconds at most. */
const GROUPS: readonly Cell[][] = Array.from({ length: Math.ceil(CELLS.length / 6) }, (_, n) =>
  CELLS.slice(6 * n, 6 * n + 6),
);

/** A cell while it runs. */
interface Playing {
  run: Run;
  fault: ProviderFault;
  asked: number;
  requests: SeenRequest[];
  /** The one that gets nothing until time has passed, once the client has heard this. */
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
      channels: [...standard.channels, ...channelsAt({ first, second, closedPort })],
      models: [...standard.models, ...FAULTS.flatMap((fault) => CELLS.flatMap((cell) => modelsOf(fault, cell)))],
    }),
  });
  const playing = new Map<string, Playing>();
  /** Grows with whatever comes out of a cell. */
  let signs = 0;

  function serve(seen: SeenRequest, upstream: ScriptedUpstream): Script {
    signs++;
    const asked = modelAsked(seen);
    const one = playing.get(asked);
    if (!one) throw new Error(`no cell plays for ${seen.path} ${asked}`);
    one.requests.push(seen);
    const { fault, run } = one;
    const { cell } = run;
    const isFallback = asked === run.fallback;
    const isFirst = isFallback ? cell.setup === 'same_channel' && fault.isOfChannel : upstream === first;
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
    const { path, body } = client.call({ model, stream: form === 'stream' });
    const response = await gateway.call(path, { key: account.key, body });
    const begunMs = clock.monotonic() - startedAt;
    one.heard = '';
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) {
      signs++;
      one.heard += decoder.decode(bytes, { stream: true });
    }
    return { response, text: one.heard, begunMs, endedMs: clock.monotonic() - startedAt };
  }

  async function prepare(fault: ProviderFault, cell: Cell): Promise<Playing> {
    const requests: SeenRequest[] = [];
    const run = { ...namesOf(fault, cell), cell, account: await gateway.register(), requests, calls: [] };
    return { run, fault, asked: 0, requests, heard: '', isDone: false };
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
  const isWaiting = ({ requests, waiting, heard, isDone }: Playing) => {
    const open = requests.filter(({ ended }) => !ended);
    return !isDone && waiting && open.length === 1 && open[0] === waiting.request && heard.includes(waiting.heard);
  };

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
      const runs: Run[] = [];
      for (const group of GROUPS) {
        clock.setBy('jobs');
        await clock.advance(BETWEEN_CALLS_MS);
        await passTime(gateway, clock, LEASED_MS);
        const cells = await Promise.all(group.map((cell) => prepare(fault, cell)));
        for (const one of cells) for (const id of [one.run.model, one.run.fallback]) playing.set(id, one);
        clock.setBy('calls');
        await Promise.all([Promise.all(cells.map(play)), passTimeFor(cells)]);
        runs.push(...cells.map(({ run }) => run));
      }
      return runs;
    },
    async stop() {
      await gateway.stop();
      await Promise.all([first.close(), second.close()]);
    },
  };
}
