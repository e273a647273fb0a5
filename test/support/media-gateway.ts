// A gateway for the tests of an endpoint that is no chat: its models on the scripted upstream, and an account for each test.

import { afterAll, beforeAll, beforeEach, expect } from 'bun:test';
import type { Answer } from './answer.ts';
import { startTestGateway, type TestAccount, type TestGateway } from './gateway.ts';
import { issueCard } from './issue-cards.ts';
import { upstreamUrl } from './test-document.ts';

type Fields = Record<string, unknown>;

interface MediaOptions {
  models: readonly Fields[];
  /** Channels to the same upstream beside `up`. */
  channels?: (baseUrl: string) => Fields[];
  /** Each account redeems a card of this amount. */
  cardNano?: bigint;
}

export interface MediaGateway {
  readonly gateway: TestGateway;
  readonly account: TestAccount;
  receiptOf(response: Response): Promise<Answer>;
  /** Another account in the same test. */
  renewAccount(): Promise<void>;
}

/** Two routes for one model, the second on the channel of this name. */
export function twoRoutes(second: string, names = ['scripted-2026-01', 'scripted-2026-01']): Fields[] {
  return ['up', second].map((channel, index) => ({ channel, model: names[index], priority: index + 1 }));
}

export function useMediaGateway({ models, channels = () => [], cardNano }: MediaOptions): MediaGateway {
  let gateway: TestGateway;
  let account: TestAccount;

  async function renewAccount(): Promise<void> {
    account = await gateway.register();
    if (cardNano === undefined) return;
    const { code } = await issueCard(gateway, { amount: cardNano });
    await gateway.call('/api/redeem', { key: account.key, body: { code } });
  }

  beforeAll(async () => {
    gateway = await startTestGateway({
      document: (standard) => ({
        ...standard,
        channels: [...standard.channels, ...channels(upstreamUrl(standard))],
        models: [...standard.models, ...models],
      }),
    });
  });
  beforeEach(async () => {
    gateway.upstream.reset();
    await renewAccount();
  });
  afterAll(async () => {
    expect(gateway.audit()).toEqual([]);
    await gateway.stop();
  });

  return {
    get gateway() {
      return gateway;
    },
    get account() {
      return account;
    },
    receiptOf: (response) => gateway.get(`/api/receipts/${response.headers.get('x-request-id')}`, account.key),
    renewAccount,
  };
}
