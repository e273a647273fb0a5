/** @jsxImportSource hono/jsx */
// The pages of the cards: issue, view, save, print, void. A new batch needs a confirmation, and is issued once.

import { toCsv } from '../../../kit/csv.ts';
import { formatNtd } from '../../../kit/money.ts';
import { count, date, money, sentences } from '../../../site/format.ts';
import { plainNumber, typed } from '../../../site/read-form.ts';
import { fileResponse } from '../../../site/respond.ts';
import {
  cardSheet,
  type IssueRequest,
  issueCards,
  listCards,
  MAX_CARDS,
  showBatch,
  voidCards,
} from '../../actions/cards.ts';
import { MAX_AMOUNT, readAmount } from '../../actions/read-input.ts';
import { OperatingRefused } from '../../actions/refused.ts';
import { refuseFaults, SentInVain, sentTwice, unlessRefused } from '../refused.ts';
import { ACTOR, OWN_URL } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';
import { showCardsOf, showGone, showSheet } from './batch.tsx';
import { showCards } from './cards.tsx';

export function addCardPages(visits: ConsoleVisits): void {
  visits.get('/cards', showCards);
  visits.post('/cards/review', askIssue, showCards);
  visits.post('/cards', issue, showCards);
  visits.get('/cards/batches/:id', (visit) => showCardsOf(visit, visit.params.id ?? ''));
  visits.file('/cards/batches/:id/codes.csv', csv);
  visits.get('/cards/batches/:id/sheet', showSheet);
  visits.post('/cards/void', voidChosen);
}

async function csv(visit: ConsoleVisit): Promise<Response> {
  const found = await cardSheet(visit.tools, visit.params.id ?? '');
  if (!found) return showGone(visit);
  const { batch, cards } = found;
  const rows = cards.map(({ serial, code, link }) => ({
    serial,
    code,
    amount_ntd: formatNtd(batch.amount),
    expires: batch.expiresAt === null ? '' : date(batch.expiresAt - 1),
    link,
  }));
  const text = toCsv(rows, ['serial', 'code', 'amount_ntd', 'expires', 'link']);
  return fileResponse(OWN_URL, `cards-${batch.batchId}.csv`, text);
}

/** Shows what will be voided and asks for confirmation; then voids it. */
async function voidChosen(visit: ConsoleVisit): Promise<Response> {
  const { cards: words } = visit.page.words;
  const { form, tools } = visit;
  const batchId = form.get('batch') ?? '';
  const path = `/cards/batches/${batchId}`;
  const batch = await showBatch(tools, batchId);
  const issued = await listCards(tools, { batchId, state: 'issued' }, MAX_CARDS);
  const named = new Set([...form.getAll('serial'), ...(form.get('serials') ?? '').split(/\s+/)]);
  const chosen = form.get('all') === 'yes' ? issued : issued.filter(({ serial }) => named.has(serial));
  if (chosen.length === 0) {
    return showCardsOf(visit, batchId, { notice: { text: words.voidNone, isBad: true }, status: 422 });
  }
  const serials = chosen.map(({ serial }) => serial);
  if (form.get('confirmed') !== 'yes') {
    return visit.ask({
      context: { ...visit.page, path, query: '' },
      section: 'cards',
      title: words.voidTitle(count(chosen.length)),
      consequences: [words.voidText, words.voidWorth(money(batch.amount * BigInt(chosen.length)))],
      action: '/cards/void',
      fields: { batch: batchId, serials: serials.join(' ') },
      button: words.voidButton,
      back: path,
      children: (
        <details>
          <summary>{words.serials}</summary>
          <p class="id">{serials.join(', ')}</p>
        </details>
      ),
    });
  }
  const results = await voidCards(tools, serials, ACTOR);
  const failed = results.filter(({ state }) => state !== 'voided').map(({ serial }) => serial);
  const not = failed.length === 0 ? '' : words.voidNot(failed.slice(0, 20).join(', '));
  const text = sentences(words.voidDone(count(results.length - failed.length)), not);
  return visit.goWith(path, { notice: { text, isBad: failed.length > 0 } });
}

async function askIssue(visit: ConsoleVisit): Promise<Response> {
  const { cards } = visit.page.words;
  const request = readIssue(visit);
  const { amount, kind, expires } = request;
  const ends = expires === undefined ? cards.askPromoEver : cards.askPromo(expires);
  const fields = Object.fromEntries(
    ['amount', 'count', 'kind', 'expires', 'note'].map((name) => [name, typed(visit.form, name)]),
  );
  return visit.ask({
    section: 'cards',
    title: cards.askTitle(count(request.count), money(amount)),
    consequences: [
      cards.askWorth(money(amount * BigInt(request.count))),
      kind === 'sold' ? cards.askSold : ends,
      cards.askOnce,
    ],
    action: '/cards',
    fields: { ...fields, once: visit.once.ticket() },
    button: cards.issueButton,
    back: '/cards',
  });
}

async function issue(visit: ConsoleVisit): Promise<Response> {
  const request = readIssue(visit);
  if (!visit.once.take(visit.form.get('once'))) throw new SentInVain({ ...sentTwice(visit), status: 422 });
  try {
    const { batch } = await issueCards(visit.tools, { ...request, actor: ACTOR });
    return visit.go(`/cards/batches/${batch.batchId}`);
  } catch (error) {
    if (!(error instanceof OperatingRefused)) throw error;
    const { message: text, facts } = error;
    const faults = facts.field === undefined ? {} : { [facts.field]: text };
    throw new SentInVain({ faults, notice: { text, isBad: true }, status: 422 });
  }
}

function readIssue({ form, page, tools }: ConsoleVisit): IssueRequest {
  const { cards } = page.words;
  const amount = unlessRefused(() => readAmount(plainNumber(typed(form, 'amount'))));
  const countText = plainNumber(typed(form, 'count'));
  const number = /^\d{1,6}$/.test(countText) ? Number(countText) : 0;
  const kind = form.get('kind') === 'promo' ? 'promo' : 'sold';
  const expires = typed(form, 'expires') || undefined;
  const isFuture = Date.parse(`${expires}T23:59:59+08:00`) > tools.clock.now();
  refuseFaults({
    ...(amount === undefined ? { amount: cards.wrongAmount(money(MAX_AMOUNT)) } : {}),
    ...(number < 1 || number > MAX_CARDS ? { count: cards.wrongCount } : {}),
    ...(expires !== undefined && (kind === 'sold' || !isFuture) ? { expires: cards.wrongExpiry } : {}),
  });
  return { amount: amount ?? 0n, count: number, kind, expires, note: typed(form, 'note') || undefined };
}
