// Models with two channels: one at the gateway's own upstream, one at another. There are many sets of them, one for each
// test: what a gateway remembers of a channel's failures in one test must not decide another.

import { afterAll, beforeAll, beforeEach } from 'bun:test';
import { NO_JITTER, startTestGateway, type TestAccount, type TestGateway, type TestGatewayOptions } from './gateway.ts';
import { openaiChannel, type TestDocument, upstreamUrl } from './test-document.ts';
import { type ScriptedUpstream, startUpstream } from './upstream.ts';

export interface ChannelSet {
  /** Channel names. */
  first: string;
  second: string;
  /** Model ids: on both channels, or on the first alone; paid (input 10, output 40) or free. */
  both: string;
  bothFree: string;
  alone: string;
  aloneFree: string;
}

export interface TwoChannels {
  document(standard: TestDocument): TestDocument;
  /** A set that no test has used before. */
  take(): ChannelSet;
}

/** What a channel of the sets has otherwise. */
type ChangeChannel = (channel: Record<string, unknown>) => Record<string, unknown>;

/** What a test works with. */
interface InUse {
  /** The gateway's own upstream. */
  first: ScriptedUpstream;
  second: ScriptedUpstream;
  gateway: TestGateway;
  account: TestAccount;
  set: ChannelSet;
}

interface UseOptions extends Pick<TestGatewayOptions, 'clock'> {
  change?: ChangeChannel;
}

/** One gateway and two upstreams for a file or a `describe`; `use` is given each test's own account and set before it. */
export function useTwoChannels(use: (inUse: InUse) => void, { change, ...options }: UseOptions = {}): void {
  let second: ScriptedUpstream;
  let channels: TwoChannels;
  let gateway: TestGateway;
  beforeAll(async () => {
    second = await startUpstream();
    channels = twoChannels(second.baseUrl, change);
    gateway = await startTestGateway({ random: NO_JITTER, ...options, document: channels.document });
  });
  beforeEach(async () => {
    const first = gateway.upstream;
    first.reset();
    second.reset();
    use({ first, second, gateway, account: await gateway.register(), set: channels.take() });
  });
  afterAll(async () => {
    await gateway.stop();
    await second.close();
  });
}

const SETS = 250;
const PRICE = { input: 10, output: 40 };

export function twoChannels(secondUrl: string, change: ChangeChannel = (channel) => channel): TwoChannels {
  const sets = Array.from({ length: SETS }, (_, n) => ({
    first: `first-${n}`,
    second: `second-${n}`,
    both: `both-${n}`,
    bothFree: `both-free-${n}`,
    alone: `alone-${n}`,
    aloneFree: `alone-free-${n}`,
  }));
  let taken = 0;
  return {
    document(standard) {
      const firstUrl = upstreamUrl(standard);
      return {
        ...standard,
        channels: [
          ...standard.channels,
          ...sets.flatMap(({ first, second }) => [
            change(openaiChannel(first, firstUrl)),
            change(openaiChannel(second, secondUrl)),
          ]),
        ],
        models: [...standard.models, ...sets.flatMap(modelsOf)],
      };
    },
    take() {
      const set = sets[taken++];
      if (!set) throw new Error(`more than ${SETS} sets of channels were taken`);
      return set;
    },
  };
}

function modelsOf({ first, second, both, bothFree, alone, aloneFree }: ChannelSet): Record<string, unknown>[] {
  const routes = [
    { channel: first, model: 'scripted-2026-01', priority: 1 },
    { channel: second, model: 'scripted-2026-01', priority: 2 },
  ];
  const model = (id: string, price: unknown, count: number) => ({
    id,
    max_output_tokens: 1_000,
    price,
    routes: routes.slice(0, count),
  });
  return [model(both, PRICE, 2), model(bothFree, 'free', 2), model(alone, PRICE, 1), model(aloneFree, 'free', 1)];
}
