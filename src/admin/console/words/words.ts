// All texts of the console. Each topic has both languages in one file, so that they are changed together.

import type { Language } from '../../../site/language.ts';
import type { Translated } from '../../../site/words/translated.ts';
import * as accounts from './accounts.ts';
import * as alarmGroups from './alarm-groups.ts';
import * as balances from './balances.ts';
import * as cards from './cards.ts';
import * as channels from './channels.ts';
import * as connect from './connect.ts';
import * as customers from './customers.ts';
import * as document from './document.ts';
import * as frame from './frame.ts';
import * as imports from './imports.ts';
import * as ledger from './ledger.ts';
import * as log from './log.ts';
import * as losses from './losses.ts';
import * as models from './models.ts';
import * as prices from './prices.ts';
import * as problems from './problems.ts';
import * as profit from './profit.ts';
import * as refunds from './refunds.ts';
import * as refused from './refused.ts';
import * as today from './today.ts';
import * as watch from './watch.ts';

const en = {
  ...frame.en,
  accounts: accounts.en,
  alarmGroups: alarmGroups.en,
  balances: balances.en,
  cards: cards.en,
  channels: channels.en,
  connect: connect.en,
  customers: customers.en,
  document: document.en,
  imports: imports.en,
  ledger: ledger.en,
  log: log.en,
  losses: losses.en,
  models: models.en,
  prices: prices.en,
  profit: profit.en,
  today: today.en,
  problems: problems.en,
  refused: refused.en,
  refunds: refunds.en,
  ...watch.en,
};

export type ConsoleWords = Translated<typeof en>;

const zh: ConsoleWords = {
  ...frame.zh,
  accounts: accounts.zh,
  alarmGroups: alarmGroups.zh,
  balances: balances.zh,
  cards: cards.zh,
  channels: channels.zh,
  connect: connect.zh,
  customers: customers.zh,
  document: document.zh,
  imports: imports.zh,
  ledger: ledger.zh,
  log: log.zh,
  losses: losses.zh,
  models: models.zh,
  prices: prices.zh,
  profit: profit.zh,
  today: today.zh,
  problems: problems.zh,
  refused: refused.zh,
  refunds: refunds.zh,
  ...watch.zh,
};

const WORDS: Record<Language, ConsoleWords> = { 'zh-TW': zh, en };

export function consoleWords(language: Language): ConsoleWords {
  return WORDS[language];
}
