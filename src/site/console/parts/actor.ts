// Who did something, in a visitor's words.

import type { Language } from '../../language.ts';
import { consoleWords } from '../../words/console/words.ts';

/** In the order in which a filter offers them. */
export const ACTORS = ['token', 'cli', 'server'] as const;

/** A later version may know others: they are shown as they are. */
export function actorName(language: Language, actor: string): string {
  const { actions } = consoleWords(language);
  const known = ACTORS.find((one) => one === actor);
  return known === undefined ? actor : actions[known];
}
