// What the operator tells the public about troubles, in both languages of the pages.

import type { Incident } from '../store/rows.ts';
import type { Actor, OperatingTools } from './tools.ts';

export interface IncidentText {
  titleEn: string;
  titleZh: string;
  /** Both or none. */
  textEn?: string | undefined;
  textZh?: string | undefined;
  /** A past date or time with its zone; now if left out. */
  started?: string | undefined;
}

/** Newest first. */
export function listIncidents(tools: Pick<OperatingTools, 'store'>, limit?: number): Promise<Incident[]> {
  throw new Error('not yet');
}
/** Refused: invalid. */
export function putIncident(
  tools: OperatingTools,
  said: IncidentText & { incidentId?: string; actor: Actor },
): Promise<Incident> {
  throw new Error('not yet');
}
/** Refused: not_found, already_done. */
export function endIncident(tools: OperatingTools, incidentId: string, actor: Actor): Promise<Incident> {
  throw new Error('not yet');
}
/** Refused: not_found. */
export function deleteIncident(tools: OperatingTools, incidentId: string, actor: Actor): Promise<void> {
  throw new Error('not yet');
}
