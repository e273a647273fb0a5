/** @jsxImportSource hono/jsx */
// Imports an upstream's price list: pasted or as a file, in US$, with an exchange rate and a mark-up, which are remembered for
// each channel. What it changes is reviewed before anything is applied.

import { count, dateTime, decimal, percent, sentences } from '../../../site/format.ts';
import { wordsOf } from '../../../site/language.ts';
import { LinkButton, Submit } from '../../../site/parts/button.tsx';
import { CodeArea, SelectField, TextField } from '../../../site/parts/field.tsx';
import { action, DataTable, figure, Under } from '../../../site/parts/table.tsx';
import { plainNumber, typed } from '../../../site/read-form.ts';
import { listChannels } from '../../actions/channels.ts';
import { checkDocument } from '../../actions/documents.ts';
import {
  type ChangeList,
  type ImportedChanges,
  type ImportedPrices,
  importedChanges,
  importPrices,
  type PriceChange,
} from '../../actions/import-prices.ts';
import { importDetail, type LastImport, lastImports, PRICES_IMPORT } from '../../actions/last-imports.ts';
import { editedDocument } from '../../actions/prices.ts';
import { readConversion } from '../../actions/usd-prices.ts';
import { type ConsoleContext, ConsolePage, FaultList } from '../frame.tsx';
import { type Faults, fieldsIn, unlessRefused } from '../refused.ts';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';
import { ReviewPage } from './review.tsx';

const PATH = '/models/import';

export function addImportPages(visits: ConsoleVisits): void {
  visits.get(PATH, (visit) => showForm(visit));
  visits.post(PATH, preview, (visit, { notice }) => showForm(visit, { text: notice?.text }));
}

type Refused = Partial<Pick<ImportedPrices, 'faults' | 'unknown' | 'notes'>> & {
  text?: string | undefined;
  wrong?: Faults;
};

async function preview(visit: ConsoleVisit): Promise<Response> {
  const { prices } = visit.page.words;
  const { form, page, tools } = visit;
  const list = typed(form, 'file') || typed(form, 'list');
  if (list === '') return showForm(visit, { text: prices.empty });
  const rate = plainNumber(typed(form, 'rate'));
  const markup = plainNumber(typed(form, 'markup')) || '0';
  const wrong = {
    ...(unlessRefused(() => readConversion(rate, '0')) ? {} : { rate: prices.wrongRate }),
    ...(unlessRefused(() => readConversion('1', markup)) ? {} : { markup: prices.wrongMarkup }),
  };
  if (Object.keys(wrong).length > 0) return showForm(visit, { wrong });
  const channel = typed(form, 'channel');
  const imported = await importPrices(tools, list, {
    rate,
    markup,
    setCost: form.get('cost') === 'yes',
    channel: channel || undefined,
  });
  const { faults, unknown, notes, edits } = imported;
  if (faults.length > 0) return showForm(visit, { faults, unknown, notes });
  if (edits.length === 0) return showForm(visit, { text: prices.nothing, unknown, notes });
  const { yaml, revision } = await editedDocument(tools, edits);
  const checked = await checkDocument(tools, yaml, revision);
  if (checked.faults) return showForm(visit, { faults: [...checked.faults] });
  const back = channel === '' ? PATH : `${PATH}?channel=${encodeURIComponent(channel)}`;
  const change = { yaml, base: revision, action: PRICES_IMPORT, back, fields: importFields(form) } as const;
  return visit.show(
    <ReviewPage context={page} checked={checked} {...change}>
      <ImportedChangeTables context={page} imported={importedChanges(imported)} />
      <Remarks context={page} {...imported} />
    </ReviewPage>,
  );
}

const USUAL = { rate: '32.5', markup: '20', setCost: true };

async function showForm(visit: ConsoleVisit, refused: Refused = {}): Promise<Response> {
  const { page: context, form, tools } = visit;
  const { text, faults = [], unknown = [], notes = [], wrong } = refused;
  const channels = (await listChannels(tools)).map(({ name }) => name);
  const last = await lastImports(tools);
  const given = form.get('channel') ?? visit.url.searchParams.get('channel');
  // Empty: every channel.
  const channel = channels.find((name) => name === given) ?? '';
  const usual = last.get(channel) ?? last.get('') ?? USUAL;
  const field = fieldsIn({ form, faults: wrong });
  const { prices } = context.words;
  const setsCost = form.has('rate') ? form.get('cost') !== null : usual.setCost;
  const notice = text === undefined ? undefined : { text, isBad: true };
  const isRefused = notice || wrong || faults.length > 0;
  return visit.show(
    <ConsolePage context={context} section="models" title={prices.tabImport} lead={prices.importLead} notice={notice}>
      <FaultList title={prices.importFaults} faults={faults} />
      <Remarks context={context} notes={notes} unknown={unknown} />
      <LastImports context={context} channels={channels} last={last} />
      <form method="post" action={PATH} enctype="multipart/form-data">
        <div class="filters">
          <SelectField
            name="channel"
            label={prices.channel}
            value={channel}
            choices={[['', prices.allChannels], ...channels]}
          />
          <TextField {...field('rate', usual.rate)} label={prices.rate} inputmode="decimal" required />
          <TextField {...field('markup', usual.markup)} label={prices.markup} inputmode="decimal" />
        </div>
        <p>
          <label class="check">
            <input type="checkbox" name="cost" value="yes" checked={setsCost} /> {prices.setCost}
          </label>
        </p>
        <CodeArea name="list" label={prices.list} help={prices.listHelp} rows={10} value={form.get('list') ?? ''} />
        <TextField name="file" label={prices.file} type="file" accept=".csv,.json,text/csv,application/json" />
        <Submit text={prices.preview} />
      </form>
    </ConsolePage>,
    { status: isRefused ? 422 : 200 },
  );
}

interface LastImportsProps {
  context: ConsoleContext;
  channels: readonly string[];
  /** By channel. */
  last: ReadonlyMap<string, LastImport>;
}

/** Each leads to the form with its rate and mark-up. */
function LastImports({ context, channels, last }: LastImportsProps) {
  const { prices, imports: words } = context.words;
  const known = ['', ...channels].flatMap((channel) => {
    const one = last.get(channel);
    return one ? [{ channel, ...one }] : [];
  });
  if (known.length === 0) return null;
  return (
    <DataTable
      label={words.last}
      caption={words.last}
      columns={[words.channel, figure(prices.rate), figure(prices.markup), words.at, action(words.again)]}
      rows={known.map(({ channel, rate, markup, at }) => [
        channel === '' ? prices.allChannels : <span class="id">{channel}</span>,
        rate,
        markup,
        <span class="number">{dateTime(at)}</span>,
        <LinkButton
          look="quiet small"
          href={channel === '' ? PATH : `${PATH}?channel=${encodeURIComponent(channel)}`}
          text={words.again}
          about={`: ${channel || prices.allChannels}`}
        />,
      ])}
    />
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

function ImportedChangeTables({ context, imported }: { context: ConsoleContext; imported: ImportedChanges }) {
  const { sale, costs } = imported;
  const { prices, imports: words } = context.words;
  return (
    <>
      <p class="faint">{prices.unit}</p>
      <Changes context={context} title={prices.salePrices} list={sale} />
      {[...costs].map(([channel, list]) => (
        <Changes context={context} title={words.costsOf(channel)} list={list} />
      ))}
    </>
  );
}

function Changes({ context, title, list }: { context: ConsoleContext; title: string; list: ChangeList }) {
  const { prices, imports: words } = context.words;
  const { changes, unchanged } = list;
  const overwritten = changes.filter(({ before }) => before !== undefined).length;
  const text = sentences(
    overwritten > 0 ? words.overwritten(count(overwritten)) : '',
    changes.length > overwritten ? words.added(count(changes.length - overwritten)) : '',
    unchanged > 0 ? words.unchanged(count(unchanged)) : '',
  );
  return (
    <section>
      <h2>{title}</h2>
      <p class="faint">{text === '' ? words.none : text}</p>
      {changes.length === 0 ? null : (
        <DataTable
          label={title}
          columns={[prices.model, figure(prices.before), figure(prices.after), figure(words.change)]}
          rows={changes.map(({ model, price, before, after, change }) => [
            <Under of={<span class="id">{model}</span>} text={prices[price]} />,
            before === undefined ? '–' : <s>{decimal(before)}</s>,
            <strong>{decimal(after)}</strong>,
            <Change context={context} change={change} before={before} />,
          ])}
        />
      )}
    </section>
  );
}

/** From this on it may be a slip: a half more or less. */
const LARGE = 0.5;

function Change({ context, change, before }: { context: ConsoleContext } & Pick<PriceChange, 'change' | 'before'>) {
  if (change === undefined) return <>{before === undefined ? context.words.imports.isNew : '–'}</>;
  const text = `${change < 0 ? '−' : '+'}${percent(Math.abs(change))}`;
  return Math.abs(change) < LARGE ? <span>{text}</span> : <strong class="warn">{text}</strong>;
}

const NAMES = ['channel', 'rate', 'markup', 'cost'] as const;
type ImportFields = Readonly<Partial<Record<(typeof NAMES)[number], string>>>;

export function importFields(form: URLSearchParams): ImportFields {
  const read = (name: string) => {
    const text = typed(form, name);
    return name === 'rate' || name === 'markup' ? plainNumber(text) : text;
  };
  return Object.fromEntries(NAMES.flatMap((name) => (form.has(name) ? [[name, read(name)]] : [])));
}

export function detailOf({ channel = '', rate = '', markup = '', cost }: ImportFields) {
  return importDetail({ channel, rate, markup: markup || '0', setCost: cost === 'yes' });
}
