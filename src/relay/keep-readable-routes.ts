// A request may have items that only one upstream account can read. Its models then have only the routes to that account, so
// that no later step sends it to an upstream that would refuse it or answer without them.

import type { Catalog, Channel } from '../catalog/catalog.ts';
import type { Upstreams } from '../channels/upstreams.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { VendorItem } from '../dialects/openai-responses/compaction/sealed-items.ts';
import { fault } from '../faults/fault.ts';
import { isReached, type Models } from './candidate-models.ts';

/** Throws if no route is left. */
export function keepReadableRoutes(
  { isSameAccount }: Pick<Upstreams, 'isSameAccount'>,
  models: Models,
  items: readonly VendorItem[],
  catalog: Pick<Catalog, 'channels'>,
  dialect: Dialect,
): Models {
  const makers = items.map(({ channel }) => catalog.channels.get(channel));
  const canRead = (channel: Channel) => makers.every((maker) => maker !== undefined && isSameAccount(maker, channel));
  const [first, ...others] = models
    .map((model) => ({ ...model, routes: model.routes.filter(({ channel }) => canRead(channel)) }))
    .filter((model) => isReached(model, dialect));
  if (first) return [first, ...others];
  const [{ param } = { param: 'input' }] = items;
  throw fault('invalid_request', {
    param,
    message: `${param} can be read only by the upstream that made it, and no channel of '${models[0].id}' uses that upstream now. Use the model that compacted the conversation, or send the conversation without ${param}.`,
    internal: `made by ${items.map(({ channel }) => channel).join(', ')}`,
  });
}
