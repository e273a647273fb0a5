// Closing a stream whose client cannot be told anything any more.

import { billDelivered } from './bill.ts';
import type { Call, RelayTools } from './call.ts';
import type { Closing } from './close.ts';
import type { Delivery } from './delivery.ts';
import { leaveStream, readToEnd } from './read-on.ts';

/** We cut it while the client was not reading: it does not pay. */
export async function closeForCut(closing: Closing, { current, served }: Delivery): Promise<void> {
  leaveStream(current.begun);
  await closing.release('unavailable', { giveBackSlots: true, first: served.first });
}

/** The client left: it pays what it got. */
export async function closeForGone(
  tools: Pick<RelayTools, 'readingOn'>,
  call: Call,
  closing: Closing,
  delivery: Delivery,
): Promise<void> {
  const { current, delivered, runs, served } = delivery;
  // It did well as long as somebody listened.
  delivery.endRun('ok');
  if (delivery.outlivesClient && delivered.hasOutput) await readToEnd(tools, current.begun);
  leaveStream(current.begun);
  if (delivered.hasOutput) await closing.settle('client_gone', billDelivered(call, runs, delivered), served);
  else await closing.release('client_gone', { giveBackSlots: false, first: served.first });
}
