/** @jsxImportSource hono/jsx */
// Imports an upstream's price list: pasted or as a file, in US$, with an exchange rate and a mark-up. New prices are shown
// beside the current ones.

import { PRICE_NAMES, type PriceName } from '../../../catalog/listed-prices.ts';
import { decimal } from '../../../site/format.ts';
import type { Notice } from '../../../site/frame.tsx';
import { wordsOf } from '../../../site/language.ts';
import { Submit } from '../../../site/parts/button.tsx';
import { CodeArea, SelectField, TextField } from '../../../site/parts/field.tsx';
import { DataTable, figure, Under } from '../../../site/parts/table.tsx';
import { typed } from '../../../site/read-form.ts';
import { listChannels } from '../../actions/channels.ts';
import { checkDocument } from '../../actions/documents.ts';
import { type ImportedPrices, importPrices } from '../../actions/import-prices.ts';
import type { PriceList } from '../../actions/prices.ts';
import { editedDocument } from '../../actions/prices.ts';
import { type ConsoleContext, ConsolePage, FaultList } from '../frame.tsx';
import type { ConsoleTools } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';
import { ReviewPage } from './review.tsx';

export function addImportPages(visits: ConsoleVisits, tools: ConsoleTools): void {
  visits.get('/models/import', async (visit) => showForm(tools, visit, {}));
  visits.post(
    '/models/import',
    (visit) => preview(tools, visit),
    (visit, { text }) => showForm(tools, visit, { text }),
  );
}

type Refused = Partial<Pick<ImportedPrices, 'faults' | 'unknown' | 'notes'>> & { text?: string };

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
      <ImportedRows context={page} imported={imported} />
    </ReviewPage>,
  );
}

interface ImportProps extends Omit<Refused, 'text'> {
  context: ConsoleContext;
  channels: readonly string[];
  /** What was sent and refused, else empty. */
  form: URLSearchParams;
  notice?: Notice | undefined;
}

const USUAL_RATE = '32.5';
const USUAL_MARKUP = '20';

function ImportPage(props: ImportProps) {
  const { context, channels, form, faults = [], unknown = [], notes = [], notice } = props;
  const field = (name: string, usual: string) => ({
    name,
    value: form.get(name) ?? usual,
    inputmode: 'decimal' as const,
  });
  const { prices } = context.words;
  return (
    <ConsolePage context={context} section="models" title={prices.tabImport} lead={prices.importLead} notice={notice}>
      <FaultList title={prices.importFaults} faults={faults} />
      <Remarks context={context} notes={notes} unknown={unknown} />
      <form method="post" action="/models/import" enctype="multipart/form-data">
        <CodeArea name="list" label={prices.list} help={prices.listHelp} rows={10} value={form.get('list') ?? ''} />
        <TextField name="file" label={prices.file} type="file" accept=".csv,.json,text/csv,application/json" />
        <div class="filters">
          <TextField {...field('rate', USUAL_RATE)} label={prices.rate} required />
          <TextField {...field('markup', USUAL_MARKUP)} label={prices.markup} />
          <SelectField
            name="channel"
            label={prices.channel}
            value={form.get('channel')}
            choices={[['', prices.allChannels], ...channels]}
          />
        </div>
        <p>
          <label class="check">
            <input type="checkbox" name="cost" value="yes" checked={form.get('cost') !== null || !form.has('rate')} />{' '}
            {prices.setCost}
          </label>
        </p>
        <Submit text={prices.preview} />
      </form>
    </ConsolePage>
  );
}

function ImportedRows({ context, imported }: { context: ConsoleContext; imported: ImportedPrices }) {
  const { prices } = context.words;
  const rows = imported.rows.flatMap(({ model, before, after, cost }) =>
    PRICE_NAMES.filter((name) => cost[name] !== undefined).map((name) => [
      <Under of={<span class="id">{model}</span>} text={prices[name]} />,
      before === 'free' ? prices.free : priceOf(before, name),
      after[name] === undefined ? <span class="faint">{prices.stays}</span> : <strong>{priceOf(after, name)}</strong>,
      priceOf(cost, name),
    ]),
  );
  return (
    <>
      <DataTable
        label={prices.tabImport}
        caption={prices.unit}
        columns={[prices.model, figure(prices.before), figure(prices.after), figure(prices.cost)]}
        rows={rows}
      />
      <Remarks context={context} {...imported} />
    </>
  );
}

function Remarks({ context, notes, unknown }: { context: ConsoleContext } & Pick<ImportedPrices, 'notes' | 'unknown'>) {
  const { prices } = context.words;
  return (
    <>
      {notes.length === 0 ? null : (
        <ul class="note faults">
          {notes.map(({ path, code }) => (
            <li>
              <code>{path}</code>
              <span>{prices.notes[code]}</span>
            </li>
          ))}
        </ul>
      )}
      {unknown.length === 0 ? null : (
        <p class="note">
          {prices.unknown + wordsOf(context.language).account.colon}
          <span class="id">{unknown.join(', ')}</span>
        </p>
      )}
    </>
  );
}

function priceOf(list: PriceList, name: PriceName): string {
  const price = list[name];
  return price === undefined ? '–' : decimal(price);
}
