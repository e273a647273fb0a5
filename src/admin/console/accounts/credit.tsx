/** @jsxImportSource hono/jsx */
// Money for a customer: asked about with the balance before and after, given once however often the form is sent.

import { money } from '../../../site/format.ts';
import { plainNumber } from '../../../site/plain-number.ts';
import { credit, showAccount } from '../../actions/accounts.ts';
import { MOST_AMOUNT, readAmount } from '../../actions/read-input.ts';
import { OperatingRefused } from '../../actions/refused.ts';
import { ConfirmPage } from '../frame/confirm.tsx';
import { typed } from '../frame/read-form.ts';
import type { ConsoleVisit } from '../frame/visit.tsx';
import { attempt, refusalNotice, refusalStatus } from '../parts/refused.ts';
import { ACTOR, type ConsoleTools } from '../tools.ts';
import { consoleWords } from '../words/words.ts';
import { balanceAfter } from './account.tsx';
import type { ShowAccount } from './account-props.ts';

interface Given {
  amount: bigint;
  kind: 'credit' | 'refund';
  reason: string;
}

export async function askCredit(tools: ConsoleTools, visit: ConsoleVisit, show: ShowAccount): Promise<Response> {
  const { accounts } = consoleWords(visit.page.language);
  const { given, faults } = await readGiven(visit);
  if (!given) return show(tools, visit, { faults, status: 422 });
  const account = await showAccount(tools, visit.params.id ?? '');
  const { accountId, wallet } = account;
  const { amount, kind, reason } = given;
  const path = `/accounts/${accountId}`;
  return visit.show(
    <ConfirmPage
      context={{ ...visit.page, path, query: '' }}
      section="accounts"
      title={kind === 'refund' ? accounts.askRefund(money(amount)) : accounts.askCredit(money(amount))}
      consequences={[
        accounts.askGoes(accountId),
        accounts.askAfter(money(wallet.balance), balanceAfter(account, amount)),
        accounts.askReason(reason),
        accounts.askFinal,
      ]}
      action={`${path}/credit`}
      fields={{ kind, amount: typed(visit.form, 'amount'), reason, once: visit.once.ticket() }}
      button={kind === 'refund' ? accounts.doRefund : accounts.doCredit}
      back={path}
    />,
  );
}

export async function giveCredit(tools: ConsoleTools, visit: ConsoleVisit, show: ShowAccount): Promise<Response> {
  const { frame } = consoleWords(visit.page.language);
  const { given, faults } = await readGiven(visit);
  if (!given) return show(tools, visit, { faults, status: 422 });
  const once = visit.form.get('once');
  if (once === null || !visit.once.take(once)) {
    return show(tools, visit, { notice: { text: frame.twice, isBad: true }, status: 409 });
  }
  const accountId = visit.params.id ?? '';
  const done = await attempt(() => credit(tools, accountId, { ...given, actor: ACTOR, once }));
  if (!(done instanceof OperatingRefused)) return visit.go(`/accounts/${accountId}?balance=${done.balance}`);
  if (done.code === 'not_found') throw done;
  const notice = refusalNotice(visit.page.language, done);
  return show(tools, visit, { notice, status: refusalStatus(done) });
}

async function readGiven({ form, page }: ConsoleVisit) {
  const { accounts } = consoleWords(page.language);
  const faults: Record<string, string> = {};
  const reason = typed(form, 'reason');
  if (reason === '') faults.reason = accounts.wrongReason;
  const amount = await attempt(async () => readAmount(plainNumber(typed(form, 'amount'))));
  if (amount instanceof OperatingRefused) faults.amount = accounts.wrongAmount(money(MOST_AMOUNT));
  const kind = form.get('kind') === 'credit' ? 'credit' : 'refund';
  const isWhole = !(amount instanceof OperatingRefused) && reason !== '';
  const given: Given | undefined = isWhole ? { amount, kind, reason } : undefined;
  return { given, faults };
}
