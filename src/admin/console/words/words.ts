// Everything the console says. Each part has both languages in one file, so that they are changed together.

import type { Language } from '../../../site/language.ts';
import type { Said } from '../../../site/words/words.ts';
import { accountsEn, accountsZh } from './accounts.ts';
import { cardsEn, cardsZh } from './cards.ts';
import { channelsEn, channelsZh } from './channels.ts';
import { documentEn, documentZh } from './document.ts';
import { frameEn, frameZh } from './frame.ts';
import { ledgerEn, ledgerZh } from './ledger.ts';
import { logEn, logZh } from './log.ts';
import { lossesEn, lossesZh } from './losses.ts';
import { pricesEn, pricesZh } from './prices.ts';
import { watchEn, watchZh } from './watch.ts';

const en = {
  ...frameEn,
  channels: channelsEn,
  document: documentEn,
  prices: pricesEn,
  cards: cardsEn,
  accounts: accountsEn,
  ledger: ledgerEn,
  losses: lossesEn,
  log: logEn,
  ...watchEn,
};

export type ConsoleWords = Said<typeof en>;

const zhTw: ConsoleWords = {
  ...frameZh,
  channels: channelsZh,
  document: documentZh,
  prices: pricesZh,
  cards: cardsZh,
  accounts: accountsZh,
  ledger: ledgerZh,
  losses: lossesZh,
  log: logZh,
  ...watchZh,
};

const WORDS: Record<Language, ConsoleWords> = { 'zh-TW': zhTw, en };

export function consoleWords(language: Language): ConsoleWords {
  return WORDS[language];
}
