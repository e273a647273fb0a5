// No channel of a model can be asked for now. The service is well, and other models may answer: so the client is told.

import { type Fault, type FaultDetails, fault } from '../faults/fault.ts';
import { LIST_MODELS } from '../faults/table.ts';

export function noChannel(details: Pick<FaultDetails, 'retryAfterS' | 'internal'>): Fault {
  return fault('unavailable', {
    ...details,
    message:
      'Try again shortly or choose another model: no channel of this model can take it right now. Nothing was charged.',
    actions: [LIST_MODELS],
  });
}
