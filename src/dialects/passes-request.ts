// Whether the client's own body may go to an upstream, or must be translated.

import type { Endpoint } from '../vendors/endpoints.ts';
import { type Dialect, passesThrough, type RelayRequest, type ToolPrices } from './dialect.ts';

interface Destination {
  endpoints: readonly Endpoint[];
  /** The model's name there. */
  model: string;
}

/** Whether it gets the body of this request. */
export function passesRequest(
  dialect: Dialect,
  request: RelayRequest,
  { endpoints, model }: Destination,
  toolPrices?: ToolPrices,
): boolean {
  return passesThrough(dialect, endpoints) && dialect.request.canPass?.(request, model, toolPrices) !== false;
}
