// /api/admin/document, revisions and prices: the catalog.

import { z } from 'zod';
import {
  type AppliedDocument,
  applyChecked,
  checkDocument,
  currentDocument,
  listRevisions,
  rollBack,
  showRevision,
} from '../actions/documents.ts';
import { importPrices } from '../actions/import-prices.ts';
import { checkPrices, editPrices, priceTable } from '../actions/prices.ts';
import { PortRefused } from '../port/refused.ts';
import { ACTOR, type AdminOperation, amount, applying, flag, operation, paged, priceEdit, text } from './operation.ts';
import { publicView } from './public-view.ts';

type Applying = z.output<z.ZodObject<typeof applying>>;

function optionsOf({ base_revision, confirmed }: Applying) {
  return { baseRevision: base_revision, confirmed, actor: ACTOR } as const;
}

const REASONS = {
  faults: { status: 400, message: 'The document has faults. Correct them; they are listed by path.' },
  stale: {
    status: 409,
    message: 'A newer revision was applied meanwhile. Read the newest revision and edit that one.',
  },
  unconfirmed: {
    status: 409,
    message: 'The change has warnings that are not confirmed. Check them, then send the same with "confirmed": true.',
  },
  unchanged: { status: 409, message: 'The document is the same as the newest revision. Change it first.' },
} as const;

function applied(result: AppliedDocument): unknown {
  if (result.ok) return { revision: result.revision, warnings: result.warnings };
  const { ok: _, reason, ...facts } = result;
  const { status, message } = REASONS[reason];
  throw new PortRefused(status, `document_${reason}`, message, {
    facts: { details: publicView(facts) },
  });
}

const priceList = z.strictObject({
  text: text.describe(
    'CSV with a header, or JSON (a list of objects, or an object by model). `model` is an id or alias of ours, or with `channel` the name at that upstream. Prices are the columns input, cached_input, cache_write_5m, cache_write_1h and output in US$ per 1M tokens, image and second in US$ each, character in US$ per 1M characters, and search in US$ per 1,000 searches; JSON may also have tiers, service_tiers and tools as in the document, with amounts in US$. Any other column is a note `unknown_column`.',
  ),
  rate: amount.describe('NT$ for one US$, such as 32.5.'),
  markup: amount.describe('Percent on top of the cost: 0 sells at cost, 30 at 1.3 times the cost.'),
  set_cost: flag.describe('Also note the list, without the mark-up, as the cost of the routes.'),
  channel: text.optional().describe('Only routes to this channel get the cost; all of them if left out.'),
});

/** 0, which no revision has, if the text is not a number. */
const revisionOf = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : 0);

export const CATALOG_OPERATIONS: readonly AdminOperation[] = [
  operation('GET /api/admin/document', {
    id: 'showDocument',
    summary: 'The newest catalog document as YAML; stored secrets are <kept>.',
    run: (tools) => currentDocument(tools),
  }),
  operation('POST /api/admin/document/check', {
    id: 'checkDocument',
    summary: 'Faults by path, the difference to the newest revision, and what to look at twice; changes nothing.',
    body: z.strictObject({ yaml: text, base_revision: applying.base_revision.optional() }),
    run: (tools, { body }) => checkDocument(tools, body.yaml, body.base_revision),
  }),
  operation('PUT /api/admin/document', {
    id: 'applyDocument',
    summary: 'Make it the newest revision. Refused with faults, a stale base, or warnings that are not confirmed.',
    body: z.strictObject({ yaml: text, ...applying }),
    run: async (tools, { body }) => applied(await applyChecked(tools, body.yaml, optionsOf(body))),
  }),
  operation('GET /api/admin/revisions', {
    id: 'listRevisions',
    summary: 'Revisions, newest first.',
    query: paged(),
    run: async (tools, { query }) => ({ data: await listRevisions(tools, query.limit, query.before) }),
  }),
  operation('GET /api/admin/revisions/:revision', {
    id: 'showRevision',
    summary: 'One revision: its document, and what it changed.',
    run: (tools, { params }) => showRevision(tools, revisionOf(params.revision)),
  }),
  operation('POST /api/admin/revisions/:revision/return', {
    id: 'returnToRevision',
    summary:
      'Apply an old revision again, as a new one. A stored key gives way to the one that its channel has now; one that comes back is a warning.',
    body: z.strictObject(applying),
    run: async (tools, { params, body }) =>
      applied(await rollBack(tools, revisionOf(params.revision), optionsOf(body))),
  }),
  operation('GET /api/admin/prices', {
    id: 'listPrices',
    summary: 'Prices of every model, with the cost and the margin of each route.',
    run: (tools) => priceTable(tools),
  }),
  operation('POST /api/admin/prices/check', {
    id: 'checkPrices',
    summary: 'What edits of prices would change; changes nothing.',
    body: z.strictObject({ edits: z.array(priceEdit).max(5_000), base_revision: applying.base_revision.optional() }),
    run: (tools, { body }) => checkPrices(tools, body.edits, body.base_revision),
  }),
  operation('PATCH /api/admin/prices', {
    id: 'editPrices',
    summary: 'Edit prices and costs, as a new revision.',
    body: z.strictObject({ edits: z.array(priceEdit).min(1).max(5_000), ...applying }),
    run: async (tools, { body }) => applied(await editPrices(tools, body.edits, optionsOf(body))),
  }),
  operation('POST /api/admin/prices/import', {
    id: 'importPrices',
    summary:
      'Read a price list in US$ (CSV or JSON) as edits in NT$; changes nothing. `notes` say what a line leaves unchanged: 0 is a cost and no sale price.',
    body: priceList,
    run: (tools, { body: { text: list, rate, markup, set_cost: setCost, channel } }) =>
      importPrices(tools, list, { rate, markup, setCost, channel }),
  }),
];
