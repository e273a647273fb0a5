// A gateway that sells what two vendors make. Each route costs what the model is sold for, so that a vendor's bill and a
// customer's charge can be compared directly.

import { weighTokens, wholeTokens } from '../../src/kit/tokens.ts';
import type { Answer } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import {
  NO_JITTER,
  startTestGateway,
  type TestAccount,
  type TestGateway,
  type TestGatewayOptions,
} from '../support/gateway.ts';
import { openaiChannel, UPSTREAM_KEY, upstreamUrl } from '../support/test-document.ts';
import { type BookedLoss, type ReadRows, readLosses, rowsOfFile } from './books.ts';
import { startVendor, type Tokens, type Vendor } from './vendor.ts';

type Fields = Record<string, unknown>;

/** Nano-NT$ per token, of sale and of cost. */
export const PRICE = { input: 10_000n, cached: 1_000n, output: 40_000n };
export const TRIAL = 1_000_000_000n;
export const CONTEXT_TOKENS = 20_000;
export const MAX_OUTPUT_TOKENS = 2_000;

const TABLE = { input: 10, cached_input: 1, output: 40 };

export interface MarketOptions extends Omit<TestGatewayOptions, 'document' | 'limits'> {
  guards?: Readonly<Record<string, number | null>>;
  /** Fields of every channel. */
  channels?: Fields;
  /** Further models. */
  models?: readonly Fields[];
  /** How the tables are read; by default, from the gateway's file. */
  rows?: ReadRows;
}

export interface Market {
  gateway: TestGateway;
  /** Of every model's first route, and of its second. */
  vendor: Vendor;
  spare: Vendor;
  join(): Promise<Customer>;
  losses(): Promise<BookedLoss[]>;
  stop(): Promise<void>;
}

export interface Customer extends TestAccount {
  open(
    path: string,
    body: Fields,
    options?: { signal?: AbortSignal; headers?: Record<string, string> },
  ): Promise<Response>;
  /** Usage records, newest first, once no hold is open. */
  records(): Promise<Answer[]>;
  /** The same of the only request; throws if there is not exactly one. */
  record(): Promise<Answer>;
  receipt(requestId: string): Promise<Answer>;
  held(): Promise<bigint>;
  /** What the account has paid so far. */
  paid(): Promise<bigint>;
  losses(): Promise<BookedLoss[]>;
}

export async function startMarket(options: MarketOptions = {}): Promise<Market> {
  const { guards = {}, channels = {}, models = [], rows, ...rest } = options;
  const spare = await startVendor();
  const gateway = await startTestGateway({
    limits: { paid_per_minute: 100_000, in_flight: 10_000, free_per_minute: 1_000 },
    random: NO_JITTER,
    ...rest,
    document: (standard) => ({
      ...standard,
      guards: { ...standard.guards, ...guards },
      channels: [...standard.channels, ...channelsOf(upstreamUrl(standard), spare.upstream.baseUrl, channels)],
      models: [...standard.models.filter(({ id }) => id !== 'auto:free'), ...MODELS, ...models],
    }),
  });
  const vendor = await startVendor(gateway.upstream);
  const losses = () => readLosses(rows ?? rowsOfFile(gateway));
  return {
    gateway,
    vendor,
    spare,
    join: async () => customerOf(gateway, await gateway.register(), losses),
    losses,
    async stop() {
      await gateway.stop();
      await spare.close();
    },
  };
}

/** Of each format one channel at the first vendor and one at the spare. */
function channelsOf(first: string, second: string, fields: Fields): Fields[] {
  return [first, second].flatMap((baseUrl, index) => [
    openaiChannel(`chat-${index + 1}`, baseUrl, { endpoints: ['chat'], ...fields }),
    openaiChannel(`responses-${index + 1}`, baseUrl, { endpoints: ['responses'], ...fields }),
    openaiChannel(`images-${index + 1}`, baseUrl, { endpoints: ['images'], ...fields }),
    {
      ...{ name: `messages-${index + 1}`, kind: 'anthropic', base_url: baseUrl.replace(/\/v1$/, '') },
      ...{ api_key: UPSTREAM_KEY, ...fields },
    },
  ]);
}

export function modelOf(id: string, format: string, name: string, fields: Fields = {}): Fields {
  return {
    id,
    context_tokens: CONTEXT_TOKENS,
    max_output_tokens: MAX_OUTPUT_TOKENS,
    price: TABLE,
    routes: [1, 2].map((priority) => ({
      ...{ channel: `${format}-${priority}`, model: name, priority },
      ...(fields.price === 'free' ? {} : { cost: fields.price ?? TABLE }),
    })),
    ...fields,
  };
}

/** Those that are named after their format reason, or may; of `nameless` the name says nothing. */
const MODELS: Fields[] = [
  modelOf('by-chat', 'chat', 'gpt-5-mini'),
  modelOf('plain-chat', 'chat', 'gpt-4o-mini'),
  modelOf('by-messages', 'messages', 'claude-sonnet-4-5'),
  modelOf('by-responses', 'responses', 'gpt-5-mini'),
  modelOf('plain-responses', 'responses', 'gpt-4o-mini'),
  modelOf('nameless', 'chat', 'our-deployment'),
  modelOf('by-pixels', 'images', 'gpt-image-1', { kinds: ['images'] }),
  modelOf('by-picture', 'images', 'gpt-image-1', { kinds: ['images'], price: { image: 0.01 } }),
  modelOf('auto:free', 'chat', 'small', { price: 'free' }),
];

async function customerOf(
  gateway: TestGateway,
  account: TestAccount,
  losses: () => Promise<BookedLoss[]>,
): Promise<Customer> {
  const me = () => gateway.get('/api/me', account.key);
  const held = async () => BigInt((await me()).held_nano);
  const records = async (): Promise<Answer[]> => {
    await eventually('every call to be closed', async () => (await held()) === 0n);
    return (await gateway.get('/api/usage?limit=200', account.key)).data;
  };
  return {
    ...account,
    open: (path, body, call = {}) => gateway.call(path, { key: account.key, body, ...call }),
    records,
    async record() {
      const [record, ...others] = await eventually('the usage record', async () => {
        const found = await records();
        return found.length > 0 && found;
      });
      if (others.length > 0) throw new Error('more than one usage record');
      return record;
    },
    receipt: (requestId) => gateway.get(`/api/receipts/${requestId}`, account.key),
    held,
    paid: async () => TRIAL - BigInt((await me()).balance_nano),
    losses: async () => (await losses()).filter(({ accountId }) => accountId === account.accountId),
  };
}

/** What tokens cost, to the operator and to the customer alike. */
export function costOf({ input, reasoning, output }: Tokens): bigint {
  return BigInt(input) * PRICE.input + BigInt(reasoning + output) * PRICE.output;
}

export function billOf(vendor: Vendor): bigint {
  return vendor.calls.reduce((sum, call) => sum + costOf(call.billed()), 0n);
}

/** A try at the vendor that was not made. */
export const NOTHING: Tokens = { input: 0, reasoning: 0, output: 0 };

/** Output as the gateway counts it. */
export function counted(text: string): number {
  return wholeTokens(weighTokens(text));
}
