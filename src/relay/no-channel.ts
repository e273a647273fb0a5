// The fault of a model whose channels are all unavailable now. It says that other models may work.

import { type Fault, type FaultDetails, fault } from '../faults/fault.ts';
import { LIST_MODELS, WAIT } from '../faults/table.ts';

export function noChannel(details: Pick<FaultDetails, 'retryAfterS' | 'internal'>): Fault {
  return fault('unavailable', {
    ...details,
    message: `No channel of this model is available right now. Nothing was charged. Retry in ${WAIT}, or choose another model.`,
    actions: [LIST_MODELS],
  });
}
