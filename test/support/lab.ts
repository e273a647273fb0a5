// A gateway with three upstreams behind one model and its fallback, for one kind of client; and a call through it with
// everything that can be known of it afterwards.

import { afterAll } from 'bun:test';
import type { Answer } from './answer.ts';
import type { Assembled } from './assemble.ts';
import { eventually } from './eventually.ts';
import { NO_JITTER, startTestGateway, type TestAccount, type TestGateway, type TestGatewayOptions } from './gateway.ts';
import { bodyLength, type Script } from './script.ts';
import { createShiftedClock, type ShiftedClock } from './shifted-clock.ts';
import { upstreamUrl } from './test-document.ts';
import { type ScriptedUpstream, startUpstream } from './upstream.ts';
import type { WireClient } from './wire-clients.ts';

type Fields = Record<string, unknown>;

export interface LabOptions extends Omit<TestGatewayOptions, 'document'> {
  /** Fields of all three channels, or of one. */
  channels?: Fields;
  first?: Fields;
  second?: Fields;
  third?: Fields;
  /** Channels of the model `main`, in the order of their priority. */
  routes?: readonly ('first' | 'second')[];
  /** `main` falls back to `spare`, which only the third channel has. */
  hasFallback?: boolean;
  main?: Fields;
  guards?: Record<string, number | null>;
  /** Further models. */
  models?: readonly Fields[];
}

export interface Asked {
  status: number;
  headers: Headers;
  text: string;
  /** Of a stream. */
  answer: Assembled;
  /** Of a whole answer or a fault. */
  json: Answer;
  record: Answer;
  /** `[channel, outcome]` of each. */
  attempts: [string, string][];
}

export interface Lab {
  gateway: TestGateway;
  client: WireClient;
  /** What calls ask for, unless they say otherwise. */
  model: string;
  account: TestAccount;
  first: ScriptedUpstream;
  second: ScriptedUpstream;
  third: ScriptedUpstream;
  open(fields: Fields, signal?: AbortSignal): Promise<Response>;
  ask(fields?: Fields): Promise<Asked>;
  read(response: Response): Promise<Asked>;
  /** The account's usage records, newest first, once nothing is open any more. */
  records(): Promise<Answer[]>;
  balance(): Promise<bigint>;
  stop(): Promise<void>;
}

/** Nano-NT$ per token. */
export const MAIN = { input: 10_000n, output: 40_000n };
export const SPARE = { input: 5_000n, output: 20_000n };
export const TRIAL = 1_000_000_000n;

export function costAt(prices: { input: bigint; output: bigint }, input: number, output: number): string {
  return (BigInt(input) * prices.input + BigInt(output) * prices.output).toString();
}

export async function startLab(client: WireClient, options: LabOptions = {}): Promise<Lab> {
  const {
    channels = {},
    first = {},
    second = {},
    third = {},
    routes = ['first', 'second'],
    hasFallback,
    main,
    guards = {},
    models: further = [],
    ...rest
  } = options;
  const others = [await startUpstream(), await startUpstream()] as const;
  const catalogOf = (firstUrl: string) => ({
    channels: [
      client.channel('first', firstUrl, { ...channels, ...first }),
      client.channel('second', others[0].baseUrl, { ...channels, ...second }),
      client.channel('third', others[1].baseUrl, { ...channels, ...third }),
    ],
    models: [
      {
        id: 'main',
        aliases: ['main-alias'],
        max_output_tokens: 1_000,
        price: { input: 10, output: 40 },
        routes: routes.map((channel, index) => ({ channel, model: 'scripted-2026-01', priority: index + 1 })),
        ...(hasFallback ? { fallbacks: ['spare'] } : {}),
        ...main,
      },
      {
        id: 'spare',
        max_output_tokens: 1_000,
        price: { input: 5, output: 20 },
        routes: [{ channel: 'third', model: 'spare-2026-01' }],
      },
    ],
  });
  const gateway = await startTestGateway({
    limits: { paid_per_minute: 100_000, in_flight: 10_000 },
    random: NO_JITTER,
    ...rest,
    document: (doc) => {
      const own = catalogOf(upstreamUrl(doc));
      return {
        ...doc,
        channels: [...doc.channels, ...own.channels],
        models: [...doc.models, ...own.models, ...further],
        guards: { ...doc.guards, ...guards },
      };
    },
  });
  return openLab({
    gateway,
    client,
    model: 'main',
    first: gateway.upstream,
    second: others[0],
    third: others[1],
    async stop() {
      await gateway.stop();
      await Promise.all(others.map((one) => one.close()));
    },
  });
}

/** As many as the tests of one file take. */
const SHARED = 100;

/** Longer than the gateway counts the repeats on the same channel, of which there are few for all calls. */
const BETWEEN_MS = 60_000;

export interface SharedOptions {
  /** The model falls back to `spare`. */
  hasFallback?: boolean;
}

/**
 * Labs on one gateway for each kind of client, until the end of the file. Each has an account, scripts and a model of its
 * own, and a minute passes before it, so that nothing the gateway remembers of one decides another.
 */
export function shareLabs(): (client: WireClient, options?: SharedOptions) => Promise<Lab> {
  const shared = new Map<WireClient, { lab: Lab; clock: ShiftedClock; taken: number }>();
  afterAll(async () => {
    for (const { lab } of shared.values()) await lab.stop();
  });
  const begin = async (client: WireClient) => {
    const clock = createShiftedClock();
    return { lab: await startLab(client, { clock, models: sharedModels() }), clock, taken: 0 };
  };
  return async (client, { hasFallback = false } = {}) => {
    const one = shared.get(client) ?? (await begin(client));
    shared.set(client, one);
    if (one.taken === SHARED) throw new Error('more labs than there are models for');
    const { gateway, first, second, third } = one.lab;
    for (const upstream of [first, second, third]) upstream.reset();
    // Time passes, and the node's lease with it.
    one.clock.skip(BETWEEN_MS);
    gateway.sql('UPDATE leases SET expires_at = expires_at + ? RETURNING node_id', BETWEEN_MS);
    const model = sharedModel(one.taken++, hasFallback);
    return openLab({ gateway, client, model, first, second, third, stop: async () => {} });
  };
}

const sharedModel = (n: number, hasFallback: boolean) => `main-${n}${hasFallback ? '-or-spare' : ''}`;

function sharedModels(): Fields[] {
  return Array.from({ length: SHARED }, (_, n) => n).flatMap((n) =>
    [false, true].map((hasFallback) => ({
      id: sharedModel(n, hasFallback),
      max_output_tokens: 1_000,
      price: { input: 10, output: 40 },
      routes: ['first', 'second'].map((channel, index) => ({
        channel,
        model: `scripted-2026-${n}`,
        priority: index + 1,
      })),
      ...(hasFallback ? { fallbacks: ['spare'] } : {}),
    })),
  );
}

type LabParts = Pick<Lab, 'gateway' | 'client' | 'model' | 'first' | 'second' | 'third' | 'stop'>;

async function openLab(parts: LabParts): Promise<Lab> {
  const { gateway, client, model } = parts;
  const account = await gateway.register();

  const records = async (): Promise<Answer[]> => {
    await eventually('every call to be closed', async () => {
      return (await gateway.get('/api/me', account.key)).held_nano === '0';
    });
    return (await gateway.get('/api/usage?limit=200', account.key)).data;
  };
  const open = (fields: Fields, signal?: AbortSignal) => {
    const { path, body } = client.call({ model, ...fields });
    return gateway.call(path, { key: account.key, body, ...(signal ? { signal } : {}) });
  };
  const read = async (response: Response): Promise<Asked> => {
    const text = await response.text();
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const id = response.headers.get('x-request-id');
    const record = await eventually('the usage record', async () => {
      const receipt = await gateway.get(`/api/receipts/${id}`, account.key);
      return receipt.request_id ? receipt : undefined;
    });
    return {
      status: response.status,
      headers: response.headers,
      text,
      answer: isStream ? client.assemble(text) : client.assemble(''),
      json: isStream ? undefined : JSON.parse(text),
      record,
      attempts: record.attempts.map(({ channel, outcome }: Answer) => [channel, outcome]),
    };
  };

  return {
    ...parts,
    account,
    open,
    read,
    ask: async (fields = {}) => read(await open(fields)),
    records,
    balance: async () => BigInt((await gateway.get('/api/me', account.key)).balance_nano),
  };
}

/** The offset two thirds into a body, by bytes. */
export function twoThirds(script: Script): number {
  return Math.floor((bodyLength(script) * 2) / 3);
}
