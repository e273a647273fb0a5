// No channel of a model can be asked for now. The service is well, and other models may answer: so the client is told.

import { type Fault, type FaultDetails, fault } from '../faults/fault.ts';
import { LIST_MODELS } from '../faults/table.ts';

export function noChannel(details: Pick<FaultDetails, 'retryAfterS' | 'internal'>): Fault {
  return fault('unavailable', {
    ...details,
    message:
      'No channel of this model is available right now. Nothing was charged. Retry shortly, or choose another model.',
    actions: [LIST_MODELS],
  });
}
