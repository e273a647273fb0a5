// Models that end at a date: what the document says about it, and which model serves their calls afterwards.

import type { DocumentModel } from './document.ts';

export interface Retirement {
  at: number;
  /** Since when the date is set. */
  deprecatedAt: number;
  /** The id of the model to use instead. */
  successor: string | undefined;
  /** The successor serves its calls from then on; otherwise they are refused. */
  isReplaced: boolean;
}

export function buildRetirement(model: DocumentModel, deprecatedAt: number): Retirement | undefined {
  const { retires_at: at, replaced_by: successor, on_retired: onRetired } = model;
  if (at === undefined) return undefined;
  return { at, deprecatedAt: Math.min(deprecatedAt, at), successor, isReplaced: onRetired === 'replace' };
}

interface Retiring {
  retirement: Retirement | undefined;
}

export function isRetired({ retirement }: Retiring, at: number): boolean {
  return retirement !== undefined && at >= retirement.at;
}

/** By id or alias. */
export type ByName<Model> = ReadonlyMap<string, Model>;

/** A successor may have retired, too. The document has no circles of them. */
export function findReplacement<Model extends Retiring>(
  name: string,
  live: ByName<Model>,
  retired: ByName<Model>,
): Model | undefined {
  const { successor, isReplaced } = retired.get(name)?.retirement ?? {};
  if (!isReplaced || successor === undefined) return undefined;
  return live.get(successor) ?? findReplacement(successor, live, retired);
}
