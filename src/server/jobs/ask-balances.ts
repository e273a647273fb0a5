// Asks vendors each hour how much prepaid credit is left, where they say it, and raises an alarm before it runs out. A question
// that is not answered is shown and raises nothing.

import { callChannel } from '../../admin/actions/call-channel.ts';
import type { Catalog, Channel } from '../../catalog/catalog.ts';
import { NTD_PER_USD } from '../../catalog/default-document.ts';
import type { UpstreamBalances } from '../../channels/upstream-balances.ts';
import type { FindUpstream } from '../../channels/upstreams.ts';
import type { Alarms } from '../../kit/alarms.ts';
import { type Clock, HOUR_MS, MINUTE_MS } from '../../kit/clock.ts';
import { describeError, type Log } from '../../kit/log.ts';
import { NANO_PER_NTD } from '../../kit/money.ts';
import type { Random } from '../../kit/random.ts';
import { taipeiDay } from '../../kit/taipei.ts';
import type { Store } from '../../store/store.ts';
import type { BalanceCall, VendorBalance } from '../../vendors/balances.ts';

const FIRST_MS = MINUTE_MS;
/** Added at random, so that nodes do not all ask at once. */
const JITTER_MS = 5 * MINUTE_MS;
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 64 * 1024;
/** Without a threshold in the document, the credit should last for as long as these days did. */
const DAYS = 3;
const MAX_CHANNELS = 1_000;

interface BalanceTools {
  clock: Clock;
  random: Random;
  log: Log;
  alarms: Alarms;
  store: Store;
  catalog(): Catalog;
  findUpstream: FindUpstream;
  balances: UpstreamBalances;
}

export function askBalances(tools: BalanceTools): () => void {
  const { clock, random, log } = tools;
  let isStopped = false;
  let cancel = () => {};
  const wait = (ms: number) => {
    if (!isStopped) cancel = clock.after(ms + random.fraction() * JITTER_MS, run);
  };
  const run = () => {
    askAll(tools)
      .catch((error: unknown) => log('error', 'balances_failed', { detail: describeError(error) }))
      .then(() => wait(HOUR_MS));
  };
  wait(FIRST_MS);
  return () => {
    isStopped = true;
    cancel();
  };
}

const NO_COSTS: ReadonlyMap<string, number> = new Map();

type AskedChannel = Channel & { balance: BalanceCall };

async function askAll(tools: BalanceTools): Promise<void> {
  const channels = [...tools.catalog().channels.values()].filter(
    (channel): channel is AskedChannel => channel.enabled && channel.balance !== undefined,
  );
  const names = new Set(channels.map(({ name }) => name));
  for (const name of tools.balances.keys()) if (!names.has(name)) tools.balances.delete(name);
  if (channels.length === 0) return;
  const costs = await recentCosts(tools).catch((error: unknown) => {
    tools.log('warn', 'balances_failed', { detail: describeError(error) });
    return NO_COSTS;
  });
  for (const channel of channels) await ask(tools, channel, costs.get(channel.name));
}

async function ask(tools: BalanceTools, channel: AskedChannel, recentUsd: number | undefined): Promise<void> {
  const { clock, alarms, balances } = tools;
  const { host } = new URL(channel.baseUrl);
  const called = await callChannel<VendorBalance | string>(tools, channel, {
    send: (upstream, signal) => upstream.readAt?.(channel.balance.path, signal) ?? Promise.reject(new Error('no path')),
    read: (answer) => channel.balance.read(answer, host),
    maxBytes: MAX_BYTES,
    timeoutMs: TIMEOUT_MS,
  });
  const before = balances.get(channel.name);
  const askedAt = clock.now();
  const answer = called.ok ? called.value : called.detail;
  if (typeof answer === 'string') {
    const { balance = null, alarmBelow = null, isLow = false } = before ?? {};
    balances.set(channel.name, { askedAt, balance, alarmBelow, isLow, failure: answer });
    return;
  }
  const { amount, currency } = answer;
  const alarmBelow = thresholdOf(channel, answer, recentUsd);
  const isLow = alarmBelow !== null && amount < alarmBelow;
  const balance = { amount, currency, at: askedAt };
  balances.set(channel.name, { askedAt, balance, alarmBelow, isLow, failure: null });
  if (isLow && !before?.isLow) {
    const detail = `${currency} ${amount} left, below ${currency} ${alarmBelow}`;
    alarms.raise('upstream_balance_low', { channel: channel.name, detail });
  }
}

/** Recorded costs are in NT$, and only the rate of US$ is known. */
function thresholdOf({ balanceAlarm }: Channel, { currency }: VendorBalance, recentUsd: number | undefined) {
  if (balanceAlarm !== undefined) return balanceAlarm;
  return currency === 'USD' && recentUsd !== undefined ? Math.round(recentUsd * 100) / 100 : null;
}

/** In US$, by channel; without those whose cost is not known. */
async function recentCosts({ store, clock }: BalanceTools): Promise<ReadonlyMap<string, number>> {
  const today = taipeiDay(clock.now());
  const query = { by: 'channel', from: today - DAYS + 1, to: today + 2, limit: MAX_CHANNELS } as const;
  const { sums } = await store.read.profit(query);
  return new Map(
    sums.flatMap(({ key, cost }) =>
      key === null || cost <= 0n ? [] : [[key, Number(cost) / Number(NANO_PER_NTD) / NTD_PER_USD] as const],
    ),
  );
}
