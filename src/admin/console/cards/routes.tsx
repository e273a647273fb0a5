/** @jsxImportSource hono/jsx */
// The pages of the cards: issue, view, save, print, void. A new batch needs a confirmation, and is issued once.

import { setImmediate } from 'node:timers/promises';
import { encode } from 'uqr';
import { toCsv } from '../../../kit/csv.ts';
import { formatNtd } from '../../../kit/money.ts';
import { count, date, money, sentences } from '../../../site/format.ts';
import { plainNumber, typed, wholeNumber } from '../../../site/read-form.ts';
import { fileResponse } from '../../../site/respond.ts';
import {
  CARD_STATES,
  cardSheet,
  type IssueRequest,
  issueCards,
  listBatches,
  listCards,
  MAX_CARDS,
  showBatch,
  voidCards,
} from '../../actions/cards.ts';
import { readNewest } from '../../actions/newest.ts';
import { MAX_AMOUNT, readAmount } from '../../actions/read-input.ts';
import { OperatingRefused } from '../../actions/refused.ts';
import { ConfirmPage } from '../frame.tsx';
import { pageIn } from '../pager.tsx';
import { type Faults, refuseFaults, type Shown, sentTwice, unlessRefused } from '../refused.ts';
import { ACTOR, OWN_URL } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';
import { BatchPage, CodesExpiredPage, QR_BORDER, type QrCode, SheetPage } from './batch.tsx';
import { CardsPage } from './cards.tsx';

const SHOWN_BATCHES = 100;
const SHOWN_CARDS = 60;
/** A QR code takes two to three kilobytes. */
const ON_A_SHEET = 16;

export function addCardPages(visits: ConsoleVisits): void {
  visits.get('/cards', showCards);
  visits.post('/cards/review', askIssue, showCards);
  visits.post('/cards', issue, showCards);
  visits.get('/cards/batches/:id', (visit) => showOne(visit, visit.params.id ?? ''));
  visits.file('/cards/batches/:id/codes.csv', csv);
  visits.get('/cards/batches/:id/sheet', sheet);
  visits.post('/cards/void', voidChosen);
}

async function showCards(visit: ConsoleVisit, { status = 200, ...shown }: Shown = {}): Promise<Response> {
  const { tools, page: context, form } = visit;
  const [batches, liability] = await Promise.all([listBatches(tools, SHOWN_BATCHES), tools.store.read.cardLiability()]);
  const serial = typed(visit.url.searchParams, 'serial');
  const search =
    serial === '' ? undefined : { serial, found: await listCards(tools, { serials: [serial] }, SHOWN_CARDS) };
  return visit.show(<CardsPage {...{ context, batches, liability, search, form }} {...shown} />, { status });
}

async function showOne(visit: ConsoleVisit, batchId: string, { notice, status = 200 }: Shown = {}): Promise<Response> {
  const { tools } = visit;
  const batch = await showBatch(tools, batchId);
  const { searchParams } = visit.url;
  const state = CARD_STATES.find((name) => name === searchParams.get('state'));
  const part = pageIn(wholeNumber(searchParams, 'page'), SHOWN_CARDS, state ? batch.states[state] : batch.count);
  const cards = (await listCards(tools, { batchId, state }, part.from + SHOWN_CARDS)).slice(part.from);
  const facts = { batch, cards, state, part, sheet: await cardSheet(tools, batchId), notice };
  const context = { ...visit.page, path: `/cards/batches/${batchId}` };
  return visit.show(<BatchPage context={context} {...facts} />, { status });
}

/** The batch exists, but its codes are no longer kept. */
async function showGone(visit: ConsoleVisit): Promise<Response> {
  const batch = await showBatch(visit.tools, visit.params.id ?? '');
  return visit.show(<CodesExpiredPage context={visit.page} batch={batch} />, { status: 404 });
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

/** Each code takes milliseconds; other requests run in between. */
async function sheet(visit: ConsoleVisit): Promise<Response> {
  const found = await cardSheet(visit.tools, visit.params.id ?? '');
  if (!found) return showGone(visit);
  const part = pageIn(wholeNumber(visit.url.searchParams, 'page'), ON_A_SHEET, found.cards.length);
  const cards = found.cards.slice(part.from, part.from + ON_A_SHEET);
  const codes = new Map<string, QrCode>();
  for (const { link } of cards) {
    codes.set(link, encode(link, { ecc: 'M', border: QR_BORDER }));
    await setImmediate();
  }
  const { issuer } = (await readNewest(visit.tools)).document;
  const facts = { sheet: { ...found, cards }, codes, part, issuer };
  return visit.show(<SheetPage context={visit.page} {...facts} />);
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
    return showOne(visit, batchId, { notice: { text: words.voidNone, isBad: true }, status: 422 });
  }
  const serials = chosen.map(({ serial }) => serial);
  if (form.get('confirmed') !== 'yes') {
    return visit.show(
      <ConfirmPage
        context={{ ...visit.page, path, query: '' }}
        section="cards"
        title={words.voidTitle(count(chosen.length))}
        consequences={[words.voidText, words.voidWorth(money(batch.amount * BigInt(chosen.length)))]}
        action="/cards/void"
        fields={{ batch: batchId, serials: serials.join(' ') }}
        button={words.voidButton}
        back={path}
      >
        <details>
          <summary>{words.serials}</summary>
          <p class="id">{serials.join(', ')}</p>
        </details>
      </ConfirmPage>,
    );
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

async function issue(visit: ConsoleVisit): Promise<Response> {
  const request = readIssue(visit);
  if (!visit.once.take(visit.form.get('once'))) return showCards(visit, { ...sentTwice(visit), status: 422 });
  try {
    const { batch } = await issueCards(visit.tools, { ...request, actor: ACTOR });
    return visit.go(`/cards/batches/${batch.batchId}`);
  } catch (error) {
    if (!(error instanceof OperatingRefused)) throw error;
    const { message: text, facts } = error;
    const faults: Faults = facts.field === undefined ? {} : { [facts.field]: text };
    return showCards(visit, { faults, notice: { text, isBad: true }, status: 422 });
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
