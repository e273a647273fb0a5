// Pages and forms for which the visitor's key must be able to manage. A refusal is shown on the page that it belongs to.

import { Fault, fault } from '../../faults/fault.ts';
import type { SignedVisit } from './visits.tsx';

/** `id` is the one in the path; empty if the path has none. */
type Act = (visit: SignedVisit, id: string) => Promise<Response>;

export function managing(showRefused: (visit: SignedVisit, refused: Fault) => Promise<Response>) {
  return (act: Act) =>
    async (visit: SignedVisit): Promise<Response> => {
      try {
        if (!visit.session.canManage) throw fault('key_not_permitted');
        return await act(visit, visit.params.id ?? '');
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        return showRefused(visit, error);
      }
    };
}
