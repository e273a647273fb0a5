// Builds the relay's tools from the gateway's: access to upstreams, and state about them and about calls.

import type { Authenticator } from '../accounts/keys/authenticator.ts';
import type { Metrics } from '../admin/metrics/metrics.ts';
import { countRequests } from '../admin/metrics/request-metrics.ts';
import { createAnswerTimes } from '../channels/answer-times.ts';
import { createFetchMedia, type MediaOptions } from '../channels/fetch-media.ts';
import { type Connect, connectBare } from '../channels/limit-connect.ts';
import { createReasoningHistory } from '../channels/reasoning-history.ts';
import { createHedgeBudget, createRetryBudget } from '../channels/retry-budget.ts';
import type { Fetch } from '../channels/upstream.ts';
import { createUpstreams } from '../channels/upstreams.ts';
import type { NewId } from '../kit/ids.ts';
import { createHasher, type Sealer } from '../kit/sealed.ts';
import { createRecentRefusals } from '../limits/recent-refusals.ts';
import { createTurns } from '../limits/turns.ts';
import type { RelayTools } from '../relay/call.ts';
import { createDrainDeadline } from '../relay/drain-deadline.ts';
import { ReadToEndLimit } from '../relay/read-to-end.ts';
import { createSecretResolver } from './settings/resolve-secret.ts';
import type { Settings } from './settings/settings.ts';
import type { LifeCycle } from './start/life-cycle.ts';

/** All except `fetch` are set only by tests. */
export interface OutboundTools {
  /** How upstreams are reached. */
  fetch: Fetch;
  /** Checks whether an upstream can be reached. */
  connect?: Connect;
  /** How media that clients link to are fetched. */
  media?: MediaOptions;
  demoPaceMs?: number;
}

type Shared =
  | 'clock'
  | 'random'
  | 'health'
  | 'errors'
  | 'traffic'
  | 'ledger'
  | 'alarms'
  | 'log'
  | 'nodeId'
  | 'publicUrl';

interface GatewayParts extends Pick<RelayTools, Shared> {
  newId: NewId;
  metrics: Metrics;
  authenticator: Authenticator;
  life: Pick<LifeCycle, 'node' | 'drainDeadline'>;
  sealer: Sealer;
  pepper: string;
  gatewayId: string;
}

const HUMAN_PACE_MS = 25;

export function createRelayTools(
  settings: Settings,
  { fetch, connect = connectBare, media, demoPaceMs = HUMAN_PACE_MS }: OutboundTools,
  { newId, metrics, authenticator, life, sealer, pepper, gatewayId, ...shared }: GatewayParts,
): RelayTools {
  const { clock } = shared;
  const retryBudget = createRetryBudget(clock);
  return {
    ...shared,
    ...createUpstreams({
      clock,
      newId,
      fetch,
      connect: settings.hasProxy ? undefined : connect,
      gatewayId,
      demoPaceMs,
      resolveSecret: createSecretResolver(settings, sealer),
    }),
    answerTimes: createAnswerTimes(),
    retryBudget,
    hedges: createHedgeBudget(clock, retryBudget),
    keys: authenticator,
    refusals: createRecentRefusals(),
    turns: createTurns(clock),
    forgetKeys: authenticator.forget,
    fetchMedia: createFetchMedia(clock, media),
    meter: countRequests(metrics),
    hashUser: createHasher(pepper, 'user'),
    hashSession: createHasher(pepper, 'conversation'),
    drainDeadline: createDrainDeadline(life.drainDeadline),
    isUnbalanced: () => life.node()?.isUnbalanced() ?? false,
    running: new Set(),
    readToEndLimit: new ReadToEndLimit(),
    reasoning: createReasoningHistory(),
  };
}
