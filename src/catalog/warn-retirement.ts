// The warning about a model that retires soon or has retired.

import { counted } from '../kit/counted.ts';
import { taipeiMoment } from '../kit/taipei.ts';
import type { DocumentFault } from './check-references.ts';
import { TRAFFIC_DAYS } from './warn-change.ts';

/** How long before. */
export const WARNED_DAYS = 60;

export interface RetiringModel {
  model: string;
  /** Its place in the document. */
  index: number;
  at: number;
  /** Below 0 if it has retired. */
  inDays: number;
  successor: string | undefined;
  isReplaced: boolean;
  /** In the last TRAFFIC_DAYS days; undefined if it is unknown. */
  use: { requests: number; accounts: number } | undefined;
}

export function retirementWarning(retiring: RetiringModel): DocumentFault {
  const { model, index, at, inDays, use } = retiring;
  const date = taipeiMoment(at);
  const when =
    inDays > 0
      ? `retires on ${date}, in ${counted(inDays, 'day', 'days')}`
      : `${inDays < 0 ? 'retired' : 'retires'} on ${date}`;
  return { path: `models[${index}].retires_at`, message: `${model} ${when}: ${thenOf(retiring)}${useOf(use)}` };
}

function thenOf({ successor, isReplaced, inDays }: RetiringModel): string {
  const since = inDays < 0 ? 'since then' : 'from then on';
  if (isReplaced) return `${since} ${successor} serves its calls, at its own price`;
  return `${since} its calls are refused${successor === undefined ? ', without a successor' : `, and ${successor} is named instead`}`;
}

function useOf(use: RetiringModel['use']): string {
  if (!use) return '';
  const { requests, accounts } = use;
  return `; in the last ${TRAFFIC_DAYS} days it had ${counted(requests, 'request', 'requests')} from ${counted(accounts, 'account', 'accounts')}`;
}
