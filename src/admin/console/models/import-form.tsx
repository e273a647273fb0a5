/** @jsxImportSource hono/jsx */
// The form for a price list.

import type { Notice } from '../../../site/frame.tsx';
import { Submit } from '../../../site/parts/button.tsx';
import { CodeArea, SelectField, TextField } from '../../../site/parts/field.tsx';
import type { ImportedPrices, ImportNote } from '../../actions/import-prices.ts';
import { FaultList } from '../fault-list.tsx';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import { ImportNotes, Unknown } from './imported-rows.tsx';

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
  const { prices } = context.words;
  return (
    <ConsolePage context={context} section="models" title={prices.tabImport} lead={prices.importLead} notice={notice}>
      <FaultList title={prices.importFaults} faults={faults} />
      <ImportNotes language={context.language} notes={notes} />
      <Unknown language={context.language} unknown={unknown} />
      <form method="post" action="/models/import" enctype="multipart/form-data">
        <CodeArea name="list" label={prices.list} help={prices.listHelp} rows={10} value={form.get('list') ?? ''} />
        <TextField name="file" label={prices.file} type="file" accept=".csv,.json,text/csv,application/json" />
        <div class="filters">
          <TextField
            name="rate"
            label={prices.rate}
            value={form.get('rate') ?? USUAL_RATE}
            inputmode="decimal"
            required
          />
          <TextField
            name="markup"
            label={prices.markup}
            value={form.get('markup') ?? USUAL_MARKUP}
            inputmode="decimal"
          />
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
