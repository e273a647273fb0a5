/** @jsxImportSource hono/jsx */
// The form for a price list.

import { Field } from '../../../site/parts/field.tsx';
import type { ImportedPrices, ImportNote } from '../../actions/import-prices.ts';
import { TextField } from '../frame/field.tsx';
import { type ConsoleContext, ConsolePage, type Notice } from '../frame/frame.tsx';
import { FaultList } from '../parts/fault-list.tsx';
import { consoleWords } from '../words/words.ts';
import { ImportNotes, Unknown } from './imported-rows.tsx';
import { modelTabs } from './tabs.ts';

interface ImportProps {
  context: ConsoleContext;
  channels: readonly string[];
  /** What was sent and refused, else empty. */
  form: URLSearchParams;
  faults?: ImportedPrices['faults'];
  unknown?: readonly string[];
  notes?: readonly ImportNote[];
  notice?: Notice | undefined;
}

const USUAL_RATE = '32.5';
const USUAL_MARKUP = '20';

export function ImportPage(props: ImportProps) {
  const { context, channels, form, faults = [], unknown = [], notes = [], notice } = props;
  const { prices } = consoleWords(context.language);
  return (
    <ConsolePage
      context={context}
      section="models"
      title={prices.tabImport}
      lead={prices.importLead}
      tabs={modelTabs(context.language)}
      notice={notice}
    >
      <FaultList title={prices.importFaults} faults={faults} />
      <ImportNotes language={context.language} notes={notes} />
      <Unknown language={context.language} unknown={unknown} />
      <form method="post" action="/models/import" enctype="multipart/form-data">
        <Field name="list" label={prices.list} help={prices.listHelp}>
          <textarea id="list" name="list" class="code" rows={10} spellcheck={false} wrap="off">
            {`\n${form.get('list') ?? ''}`}
          </textarea>
        </Field>
        <Field name="file" label={prices.file}>
          <input id="file" name="file" type="file" accept=".csv,.json,text/csv,application/json" />
        </Field>
        <div class="filters">
          <TextField name="rate" label={prices.rate} value={form.get('rate') ?? USUAL_RATE} isFigure isRequired />
          <TextField name="markup" label={prices.markup} value={form.get('markup') ?? USUAL_MARKUP} isFigure />
          <Field name="channel" label={prices.channel}>
            <select id="channel" name="channel">
              <option value="">{prices.allChannels}</option>
              {channels.map((name) => (
                <option value={name} selected={form.get('channel') === name}>
                  {name}
                </option>
              ))}
            </select>
          </Field>
        </div>
        <p>
          <label class="check">
            <input type="checkbox" name="cost" value="yes" checked={form.get('cost') !== null || !form.has('rate')} />{' '}
            {prices.setCost}
          </label>
        </p>
        <button type="submit">{prices.preview}</button>
      </form>
    </ConsolePage>
  );
}
