// The one suite that every store passes: what an operation does cannot depend on the database behind it.

import { describe } from 'bun:test';
import { describeAccountList } from './account-list.ts';
import { describeActors } from './actors.ts';
import { describeAdmit } from './admit.ts';
import { describeAudit } from './audit.ts';
import { describeBatches } from './batches.ts';
import { describeBudgets } from './budgets.ts';
import { describeChains } from './chains.ts';
import { describeClose } from './close.ts';
import { describeEvents } from './events.ts';
import { describeFailed } from './failed.ts';
import { describeKeyCount } from './key-count.ts';
import { describeKeys } from './keys.ts';
import { describeLogins } from './logins.ts';
import { describeLosses } from './losses.ts';
import { describeOperating } from './operating.ts';
import { describeOperator } from './operator.ts';
import { describeProfit } from './profit.ts';
import { describePublishing } from './publishing.ts';
import { describeRedeem } from './redeem.ts';
import { describeRefunds } from './refunds.ts';
import { describeRefusals } from './refusals.ts';
import { describeRegister } from './register.ts';
import type { OpenSubject } from './subject.ts';
import { describeSweep } from './sweep.ts';
import { describeUsage } from './usage.ts';
import { describeWebhooks } from './webhooks.ts';

export function describeStore(name: string, open: OpenSubject): void {
  describe(`${name} does what a store does:`, () => {
    describeBatches(open);
    describeRegister(open);
    describeAdmit(open);
    describeClose(open);
    describeSweep(open);
    describeRedeem(open);
    describeKeys(open);
    describeKeyCount(open);
    describeActors(open);
    describeBudgets(open);
    describeChains(open);
    describeLosses(open);
    describeAccountList(open);
    describeRefusals(open);
    describeEvents(open);
    describeWebhooks(open);
    describeLogins(open);
    describeOperator(open);
    describeRefunds(open);
    describeOperating(open);
    describePublishing(open);
    describeUsage(open);
    describeFailed(open);
    describeProfit(open);
    describeAudit(open);
  });
}
