// The frame of calls that take the body of a model call and that the gateway answers itself: token counts and quotes.

import type { CapacityLease } from '../limits/load.ts';
import type { HttpTools, KeyedExchange } from './exchange.ts';
import { type LargeCall, openLargeCall, type RefuseEarly } from './large-call.ts';
import { readBody } from './read-body.ts';
import { type KeyedBody, parseKeyed, readPeerBeforeWait } from './read-keyed-body.ts';

export interface BodyWithoutModel extends KeyedBody {
  capacity: CapacityLease;
  /** Undefined for a small body. */
  large: LargeCall | undefined;
}

interface Bounds {
  maxBytes: number;
  /** Checks a large body before it is parsed. */
  refuseEarly?: RefuseEarly;
}

export async function answerWithoutModel(
  tools: HttpTools,
  exchange: KeyedExchange,
  { maxBytes, refuseEarly = () => {} }: Bounds,
  answer: (body: BodyWithoutModel) => Promise<Response>,
): Promise<Response> {
  const capacity = tools.load.acquire(exchange.key.accountId);
  let large: LargeCall | undefined;
  try {
    large = openLargeCall(tools, exchange, true);
    const body = await readBody(exchange.request, maxBytes, tools.clock, large?.counting(capacity) ?? capacity);
    const keyed = large
      ? await large.read(body, refuseEarly)
      : parseKeyed(body, await readPeerBeforeWait(tools.authenticator.revalidate(exchange.key), exchange.connection));
    const response = await answer({ ...keyed, capacity, large });
    large?.answeredHere();
    return response;
  } catch (error) {
    large?.failed(error);
    throw error;
  } finally {
    capacity.release();
  }
}
