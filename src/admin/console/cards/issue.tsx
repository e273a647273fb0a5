/** @jsxImportSource hono/jsx */
// A new batch: read from the form, asked about once more, issued once.

import { count, money } from '../../../site/format.ts';
import { plainNumber, typed } from '../../../site/read-form.ts';
import { type IssueRequest, issueCards, MAX_CARDS } from '../../actions/cards.ts';
import { MOST_AMOUNT, readAmount } from '../../actions/read-input.ts';
import { OperatingRefused } from '../../actions/refused.ts';
import { ConfirmPage } from '../frame.tsx';
import { unlessRefused } from '../refused.ts';
import { ACTOR, type ConsoleTools } from '../tools.ts';
import type { ConsoleVisit } from '../visits.tsx';

type Faults = Readonly<Record<string, string>>;
export type ShowAgain = (visit: ConsoleVisit, faults: Faults, text?: string) => Promise<Response>;

export async function askIssue(tools: ConsoleTools, visit: ConsoleVisit, again: ShowAgain): Promise<Response> {
  const { cards } = visit.page.words;
  const { request, faults } = readIssue(visit, tools.clock.now());
  if (!request) return again(visit, faults);
  const { amount, kind, expires } = request;
  const ends = expires === undefined ? cards.askPromoEver : cards.askPromo(expires);
  const fields = Object.fromEntries(
    ['amount', 'count', 'kind', 'expires', 'note'].map((name) => [name, typed(visit.form, name)]),
  );
  return visit.show(
    <ConfirmPage
      context={{ ...visit.page, path: '/cards', query: '' }}
      section="cards"
      title={cards.askTitle(count(request.count), money(amount))}
      consequences={[
        cards.askWorth(money(amount * BigInt(request.count))),
        kind === 'sold' ? cards.askSold : ends,
        cards.askOnce,
      ]}
      action="/cards"
      fields={{ ...fields, once: visit.once.ticket() }}
      button={cards.issueButton}
      back="/cards"
    />,
  );
}

export async function issue(tools: ConsoleTools, visit: ConsoleVisit, again: ShowAgain): Promise<Response> {
  const { request, faults } = readIssue(visit, tools.clock.now());
  if (!request) return again(visit, faults);
  if (!visit.once.take(visit.form.get('once'))) return again(visit, {}, visit.page.words.frame.twice);
  try {
    const { batch } = await issueCards(tools, { ...request, actor: ACTOR });
    return visit.go(`/cards/batches/${batch.batchId}?new`);
  } catch (error) {
    if (!(error instanceof OperatingRefused)) throw error;
    const { field } = error.facts;
    return again(visit, field === undefined ? {} : { [field]: error.message }, error.message);
  }
}

function readIssue({ form, page }: ConsoleVisit, now: number): { request: IssueRequest | undefined; faults: Faults } {
  const { cards } = page.words;
  const faults: Record<string, string> = {};
  const amount = unlessRefused(() => readAmount(plainNumber(typed(form, 'amount'))));
  if (amount === undefined) faults.amount = cards.wrongAmount(money(MOST_AMOUNT));
  const countText = plainNumber(typed(form, 'count'));
  const number = /^\d{1,6}$/.test(countText) ? Number(countText) : 0;
  if (number < 1 || number > MAX_CARDS) faults.count = cards.wrongCount;
  const kind = form.get('kind') === 'promo' ? 'promo' : 'sold';
  const expires = typed(form, 'expires') || undefined;
  if (expires !== undefined && (kind === 'sold' || !(Date.parse(`${expires}T23:59:59+08:00`) > now))) {
    faults.expires = cards.wrongExpiry;
  }
  if (amount === undefined || Object.keys(faults).length > 0) return { request: undefined, faults };
  return { request: { amount, count: number, kind, expires, note: typed(form, 'note') || undefined }, faults };
}
