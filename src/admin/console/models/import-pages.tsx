/** @jsxImportSource hono/jsx */
// A price list of an upstream becomes ours: pasted or as a file, in US$, with an exchange rate and a mark-up.

import { typed } from '../../../site/read-form.ts';
import { listChannels } from '../../actions/channels.ts';
import { checkDocument } from '../../actions/documents.ts';
import { type ImportedPrices, type ImportNote, importPrices } from '../../actions/import-prices.ts';
import { editedDocument } from '../../actions/prices.ts';
import type { ConsoleTools } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';
import { ImportPage } from './import-form.tsx';
import { ImportedRows } from './imported-rows.tsx';
import { ReviewPage } from './review.tsx';

export function addImportPages(visits: ConsoleVisits, tools: ConsoleTools): void {
  visits.get('/models/import', async (visit) => showForm(tools, visit, {}));
  visits.post(
    '/models/import',
    (visit) => preview(tools, visit),
    (visit, { text }) => showForm(tools, visit, { text }),
  );
}

interface Refused {
  faults?: ImportedPrices['faults'];
  unknown?: readonly string[];
  notes?: readonly ImportNote[];
  text?: string;
}

async function showForm(tools: ConsoleTools, visit: ConsoleVisit, { text, ...refused }: Refused): Promise<Response> {
  const channels = (await listChannels(tools)).map(({ name }) => name);
  const notice = text === undefined ? undefined : { text, isBad: true };
  const page = <ImportPage context={visit.page} channels={channels} form={visit.form} notice={notice} {...refused} />;
  return visit.show(page, { status: notice || (refused.faults?.length ?? 0) > 0 ? 422 : 200 });
}

async function preview(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const { prices } = visit.page.words;
  const { form, page } = visit;
  const list = typed(form, 'file') || typed(form, 'list');
  if (list === '') return showForm(tools, visit, { text: prices.empty });
  const imported = await importPrices(tools, list, {
    rate: typed(form, 'rate'),
    markup: typed(form, 'markup') || '0',
    setCost: form.get('cost') === 'yes',
    channel: typed(form, 'channel') || undefined,
  });
  const { faults, unknown, notes, edits } = imported;
  if (faults.length > 0) return showForm(tools, visit, { faults, unknown, notes });
  if (edits.length === 0) return showForm(tools, visit, { text: prices.nothing, unknown, notes });
  const { yaml, revision } = await editedDocument(tools, edits);
  const checked = await checkDocument(tools, yaml, revision);
  if (checked.faults) return showForm(tools, visit, { faults: [...checked.faults] });
  const change = { yaml, base: revision, action: 'prices.import', back: '/models/import' } as const;
  return visit.show(
    <ReviewPage context={page} checked={checked} {...change}>
      <ImportedRows language={page.language} imported={imported} />
    </ReviewPage>,
  );
}
