// Switching a channel off and on: a new revision of the document, as every change of the catalog is.

import type { Actor, OperatingTools } from './tools.ts';

/** Refused: not_found; already_done; last_routes with the models that would lose their last route, unless forced. */
export function setChannelEnabled(
  tools: OperatingTools,
  name: string,
  options: { enabled: boolean; force: boolean; actor: Actor },
): Promise<{ revision: number; modelsWithoutRoute: readonly string[] }> {
  throw new Error('not yet');
}
