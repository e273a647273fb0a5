// The pages of the ledger, as tabs.

import type { Language } from '../../../site/language.ts';
import { consoleWords } from '../words/words.ts';

export function ledgerTabs(language: Language): { path: string; text: string }[] {
  const { ledger, losses } = consoleWords(language);
  return [
    { path: '/ledger', text: ledger.tabOverview },
    { path: '/ledger/losses', text: losses.title },
    { path: '/ledger/reconcile', text: ledger.tabReconcile },
  ];
}
