// Who did something, in a visitor's words.

import type { Language } from '../../site/language.ts';
import { ACTORS } from '../../store/rows.ts';
import { consoleWords } from './words/words.ts';

/** As a filter offers them. */
export const KNOWN_ACTORS = Object.values(ACTORS);

/** A later version may know others: they are shown as they are. */
export function actorName(language: Language, actor: string): string {
  const { actions } = consoleWords(language);
  const known = KNOWN_ACTORS.find((one) => one === actor);
  return known === undefined ? actor : actions[known];
}
