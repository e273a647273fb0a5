// Every call of the operator's API.

import { ACCOUNT_OPERATIONS } from './accounts.ts';
import { CARD_OPERATIONS } from './cards.ts';
import { CATALOG_OPERATIONS } from './catalog.ts';
import { CHANNEL_OPERATIONS } from './channels.ts';
import { LEDGER_OPERATIONS } from './ledger.ts';
import { LOSS_OPERATIONS } from './losses.ts';
import type { AdminOperation } from './operation.ts';
import { WATCH_OPERATIONS } from './watch.ts';

export const ADMIN_OPERATIONS: readonly AdminOperation[] = [
  ...CHANNEL_OPERATIONS,
  ...CATALOG_OPERATIONS,
  ...CARD_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...LEDGER_OPERATIONS,
  ...LOSS_OPERATIONS,
  ...WATCH_OPERATIONS,
];
