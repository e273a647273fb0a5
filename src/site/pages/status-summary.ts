// A summary of the status in a line or two: which models do not work, and the operator's incidents.

import type { Incident } from '../../store/rows.ts';
import { dateTime } from '../format.ts';
import { type Language, wordsOf } from '../language.ts';
import type { StateName } from '../parts/state.tsx';

/** A sentence that may name models: the text before them, the models, and the text after. */
export interface SummaryLine {
  state: StateName;
  before: string;
  models: readonly string[];
  after: string;
}

/** More are counted: the table has them all. */
const MAX_NAMED = 3;

interface Summarized {
  models: readonly { id: string; state: StateName }[];
  incidents: readonly Pick<Incident, 'endedAt'>[];
}

/**
 * The figures are what this process saw since it started: of a model that it knows nothing of, nothing is claimed, not even
 * that it had no traffic. While an incident goes on, nothing is said to be well.
 */
export function summaryOf(language: Language, { models, incidents }: Summarized): SummaryLine[] {
  const { status, account } = wordsOf(language);
  const idsIn = (wanted: StateName) => models.filter(({ state }) => state === wanted).map(({ id }) => id);
  const trouble = (state: 'down' | 'degraded', words: (count: number) => string): SummaryLine[] => {
    const ids = idsIn(state);
    if (ids.length === 0) return [];
    const more = ids.length - MAX_NAMED;
    return [
      {
        state,
        before: words(ids.length) + account.colon,
        models: ids.slice(0, MAX_NAMED),
        after: more > 0 ? status.andMore(more) : status.stop,
      },
    ];
  };
  const said = (state: StateName, before: string): SummaryLine[] => [{ state, before, models: [], after: '' }];
  const troubles = [...trouble('down', status.downModels), ...trouble('degraded', status.degradedModels)];
  if (troubles.length > 0) return troubles;
  if (incidents.some(isOngoing)) return said('degraded', status.incidentGoesOn);
  const unknown = idsIn('unknown').length;
  if (unknown === models.length) return said('unknown', status.nothingKnown);
  return said('operational', unknown === 0 ? status.allWork : status.noTrouble);
}

export function summaryText(language: Language, { before, models, after }: SummaryLine): string {
  return before + models.join(wordsOf(language).pricing.comma) + after;
}

export function isOngoing({ endedAt }: Pick<Incident, 'endedAt'>): boolean {
  return endedAt === null;
}

/** In the words that its writer has for a language. */
export function incidentText(language: Language, incident: Incident): Record<'title' | 'times' | 'text', string> {
  const { startedAt, endedAt, titleEn, titleZh, textEn, textZh } = incident;
  const [title, text] = language === 'en' ? [titleEn, textEn] : [titleZh, textZh];
  const end = endedAt === null ? wordsOf(language).status.ongoing : dateTime(endedAt);
  return { title, times: `${dateTime(startedAt)} – ${end}`, text };
}
