// Starts a gateway from settings. Most of a start is loading code: it runs while the database threads start, so this
// file imports only what they need.

import { createMetrics } from '../../admin/metrics/metrics.ts';
import { countBatches } from '../../admin/metrics/state-metrics.ts';
import { systemClock } from '../../kit/clock.ts';
import { armFailpoint } from '../../kit/failpoint.ts';
import { systemRandom } from '../../kit/random.ts';
import type { Gateway, GatewayOptions } from '../gateway.ts';
import { readCatalogFile, type Settings } from '../settings/settings.ts';
import { openAtStart } from './open-at-start.ts';

/** Rejects with StartRefused, StoreRefused or StartEnded. */
export async function startGateway(settings: Settings, options: GatewayOptions): Promise<Gateway> {
  const { clock = systemClock, random = systemRandom, maxPages, patienceMs, signal } = options;
  armFailpoint(settings.killOrder);
  const fileBefore = readBefore(settings);
  const metrics = createMetrics();
  const meter = countBatches(metrics);
  const [starting, { composeGateway }] = await Promise.all([
    openAtStart(settings, clock, random, { maxPages, patienceMs, meter, signal }),
    import('../gateway.ts'),
  ]);
  return composeGateway(settings, options, { clock, random, metrics, fileBefore, starting });
}

/** Reports an unreadable file before a database is created. A process that follows does not need it. */
function readBefore({ configFile, follows }: Settings): string | undefined {
  return configFile === undefined || follows ? undefined : readCatalogFile(configFile);
}
