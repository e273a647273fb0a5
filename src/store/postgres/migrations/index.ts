// Numbered and immutable: a change to the schema is a new file at the end of this list.

import type { Migration } from '../../migration.ts';
import ledger from './0001-ledger.sql' with { type: 'text' };
import traffic from './0002-traffic.sql' with { type: 'text' };
import settings from './0003-settings.sql' with { type: 'text' };
import site from './0004-site.sql' with { type: 'text' };
import usageDays from './0005-usage-days.sql' with { type: 'text' };
import operating from './0006-operating.sql' with { type: 'text' };
import shorterWindows from './0007-shorter-windows.sql' with { type: 'text' };
import journal from './0008-journal.sql' with { type: 'text' };
import usageSums from './0009-usage-sums.sql' with { type: 'text' };
import credits from './0010-credits.sql' with { type: 'text' };
import budgetOfEveryKey from './0011-budget-of-every-key.sql' with { type: 'text' };
import losses from './0012-losses.sql' with { type: 'text' };
import afterImages from './0013-after-images.sql' with { type: 'text' };
import keyChains from './0014-key-chains.sql' with { type: 'text' };
import priceRules from './0015-price-rules.sql' with { type: 'text' };
import events from './0016-events.sql' with { type: 'text' };
import webhooks from './0017-webhooks.sql' with { type: 'text' };
import pricedAt from './0018-priced-at.sql' with { type: 'text' };
import profit from './0019-profit.sql' with { type: 'text' };
import customers from './0020-customers.sql' with { type: 'text' };
import refunds from './0021-refunds.sql' with { type: 'text' };
import alarmSubjects from './0022-alarm-subjects.sql' with { type: 'text' };
import paidParts from './0023-paid-parts.sql' with { type: 'text' };
import otherUnits from './0024-other-units.sql' with { type: 'text' };

export const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: 'ledger', sql: ledger },
  { version: 2, name: 'traffic', sql: traffic },
  { version: 3, name: 'settings', sql: settings },
  { version: 4, name: 'site', sql: site },
  { version: 5, name: 'usage-days', sql: usageDays },
  { version: 6, name: 'operating', sql: operating },
  { version: 7, name: 'shorter-windows', sql: shorterWindows },
  { version: 8, name: 'journal', sql: journal },
  { version: 9, name: 'usage-sums', sql: usageSums },
  { version: 10, name: 'credits', sql: credits },
  { version: 11, name: 'budget-of-every-key', sql: budgetOfEveryKey },
  { version: 12, name: 'losses', sql: losses },
  { version: 13, name: 'after-images', sql: afterImages },
  { version: 14, name: 'key-chains', sql: keyChains },
  { version: 15, name: 'price-rules', sql: priceRules },
  { version: 16, name: 'events', sql: events },
  { version: 17, name: 'webhooks', sql: webhooks },
  { version: 18, name: 'priced-at', sql: pricedAt },
  { version: 19, name: 'profit', sql: profit },
  { version: 20, name: 'customers', sql: customers },
  { version: 21, name: 'refunds', sql: refunds },
  { version: 22, name: 'alarm-subjects', sql: alarmSubjects },
  { version: 23, name: 'paid-parts', sql: paidParts },
  { version: 24, name: 'other-units', sql: otherUnits },
];
