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
import { unlessRefused } from '../refused.ts';
import { ACTOR, type ConsoleTools, OWN_URL } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';
import { BatchPage, CARD_STATES, CodesExpiredPage } from './batch.tsx';
import { CardsPage } from './cards.tsx';
import { QR_BORDER, type QrCode, SheetPage } from './sheet.tsx';

const SHOWN_BATCHES = 100;
const SHOWN_CARDS = 60;
/** A QR code takes two to three kilobytes. */
const ON_A_SHEET = 16;

export function addCardPages(visits: ConsoleVisits, tools: ConsoleTools): void {
  const again: ShowAgain = async (visit, faults, text) => {
    const [batches, liability] = await readCards(tools);
    const notice = text === undefined ? undefined : { text, isBad: true };
    const { page: context, form } = visit;
    const page = <CardsPage {...{ context, batches, liability, form, faults, notice }} />;
    return visit.show(page, { status: 422 });
  };
  visits.get('/cards', (visit) => showCards(tools, visit));
  visits.post('/cards/review', (visit) => askIssue(tools, visit, again));
  visits.post('/cards', (visit) => issue(tools, visit, again));
  visits.get('/cards/batches/:id', (visit) => showOne(tools, visit));
  visits.file('/cards/batches/:id/codes.csv', (visit) => csv(tools, visit));
  visits.get('/cards/batches/:id/sheet', (visit) => sheet(tools, visit));
  visits.post('/cards/void', (visit) => voidChosen(tools, visit));
}

function readCards(tools: ConsoleTools) {
  return Promise.all([listBatches(tools, SHOWN_BATCHES), tools.store.read.cardLiability()]);
}

async function showCards(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const [batches, liability] = await readCards(tools);
  const serial = typed(visit.url.searchParams, 'serial');
  const search =
    serial === '' ? undefined : { serial, found: await listCards(tools, { serials: [serial] }, SHOWN_CARDS) };
  return visit.show(<CardsPage {...{ context: visit.page, batches, liability, search, form: visit.form }} />);
}

async function showOne(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const batchId = visit.params.id ?? '';
  const batch = await showBatch(tools, batchId);
  const { searchParams } = visit.url;
  const state = CARD_STATES.find((name) => name === searchParams.get('state'));
  const part = pageIn(wholeNumber(searchParams, 'page'), SHOWN_CARDS, state ? batch.states[state] : batch.count);
  const cards = (await listCards(tools, { batchId, state }, part.from + SHOWN_CARDS)).slice(part.from);
  const facts = { batch, cards, state, part, sheet: await cardSheet(tools, batchId) };
  return visit.show(<BatchPage context={visit.page} {...facts} />);
}

/** The batch exists, but its codes are no longer kept. */
async function showGone(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const batch = await showBatch(tools, visit.params.id ?? '');
  return visit.show(<CodesExpiredPage context={visit.page} batch={batch} />, { status: 404 });
}

async function csv(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const found = await cardSheet(tools, visit.params.id ?? '');
  if (!found) return showGone(tools, visit);
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
async function sheet(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const found = await cardSheet(tools, visit.params.id ?? '');
  if (!found) return showGone(tools, visit);
  const part = pageIn(wholeNumber(visit.url.searchParams, 'page'), ON_A_SHEET, found.cards.length);
  const cards = found.cards.slice(part.from, part.from + ON_A_SHEET);
  const codes = new Map<string, QrCode>();
  for (const { link } of cards) {
    codes.set(link, encode(link, { ecc: 'M', border: QR_BORDER }));
    await setImmediate();
  }
  const { issuer } = (await readNewest(tools)).document;
  const facts = { sheet: { ...found, cards }, codes, part, issuer };
  return visit.show(<SheetPage context={visit.page} {...facts} />);
}

/** Shows what will be voided and asks for confirmation; then voids it. */
async function voidChosen(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const { cards: words } = visit.page.words;
  const { form } = visit;
  const batchId = form.get('batch') ?? '';
  const path = `/cards/batches/${batchId}`;
  const batch = await showBatch(tools, batchId);
  const issued = await listCards(tools, { batchId, state: 'issued' }, MAX_CARDS);
  const named = new Set([...form.getAll('serial'), ...(form.get('serials') ?? '').split(/\s+/)]);
  const chosen = form.get('all') === 'yes' ? issued : issued.filter(({ serial }) => named.has(serial));
  if (chosen.length === 0) {
    const cards = await listCards(tools, { batchId }, SHOWN_CARDS);
    const notice = { text: words.voidNone, isBad: true };
    const part = pageIn(1, SHOWN_CARDS, batch.count);
    const facts = { batch, cards, state: undefined, part, sheet: await cardSheet(tools, batchId) };
    const context = { ...visit.page, path, query: '' };
    return visit.show(<BatchPage context={context} {...facts} notice={notice} />, { status: 422 });
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

type Faults = Readonly<Record<string, string>>;
type ShowAgain = (visit: ConsoleVisit, faults: Faults, text?: string) => Promise<Response>;

async function askIssue(tools: ConsoleTools, visit: ConsoleVisit, again: ShowAgain): Promise<Response> {
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

async function issue(tools: ConsoleTools, visit: ConsoleVisit, again: ShowAgain): Promise<Response> {
  const { request, faults } = readIssue(visit, tools.clock.now());
  if (!request) return again(visit, faults);
  if (!visit.once.take(visit.form.get('once'))) return again(visit, {}, visit.page.words.frame.twice);
  try {
    const { batch } = await issueCards(tools, { ...request, actor: ACTOR });
    return visit.go(`/cards/batches/${batch.batchId}`);
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
  if (amount === undefined) faults.amount = cards.wrongAmount(money(MAX_AMOUNT));
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
