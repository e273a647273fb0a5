// One request on its way through a translation, and what reading its answer as a whole and as a stream have in common.

import type { Carrier } from '../carrier.ts';
import type { Dialect, RelayRequest } from '../dialect.ts';
import type { AnswerEvent } from './answer-events.ts';
import { createGapFilter } from './drop-gaps.ts';
import type { ClientSide, Target, UpstreamSide, WrittenRequest } from './sides.ts';
import type { StopMatcher } from './stop-sequences.ts';
import { createToolRestorer } from './tools/restore-tools.ts';

export interface Translation {
  dialect: Dialect;
  client: ClientSide;
  upstream: UpstreamSide;
  endpoint: Carrier['endpoint'];
  request: RelayRequest;
  target: Target;
  createdAt: number;
}

export function hidesThoughts({ client, request }: Pick<Translation, 'client' | 'request'>): boolean {
  return client.hidesThoughts?.(request.document.value) === true;
}

/** From here on it is no longer the model that speaks. */
export function isVendors(event: AnswerEvent): boolean {
  return event.type === 'open' && event.block.kind === 'refusal' && event.block.isVendors === true;
}

export function createRestorer(
  { names, formatTool }: WrittenRequest,
  stops: StopMatcher,
): (event: AnswerEvent) => AnswerEvent[] {
  const restoreTools = createToolRestorer({ names, formatTool });
  const dropGaps = createGapFilter();
  return (event) => restoreTools(event).flatMap(dropGaps).flatMap(stops.take);
}
