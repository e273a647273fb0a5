// The pages of the models, as tabs.

import type { Language } from '../../../site/language.ts';
import { consoleWords } from '../words/words.ts';

export function modelTabs(language: Language): { path: string; text: string }[] {
  const { prices, document } = consoleWords(language);
  return [
    { path: '/models', text: prices.tabPrices },
    { path: '/models/document', text: document.title },
    { path: '/models/revisions', text: document.revisions },
    { path: '/models/import', text: prices.tabImport },
  ];
}
