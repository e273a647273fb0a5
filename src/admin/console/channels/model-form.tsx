/** @jsxImportSource hono/jsx */
// The third step of a channel's form: which models, under which ids, at which prices. What is chosen is always shown, so
// that the form carries all of it.

import { milliseconds } from '../../../site/format.ts';
import { type Notice, NoticeBox } from '../../../site/frame.tsx';
import { Submit } from '../../../site/parts/button.tsx';
import { Hidden, TextArea, TextField } from '../../../site/parts/field.tsx';
import { DataTable } from '../../../site/parts/table.tsx';
import { typed, typedLines } from '../../../site/read-form.ts';
import { SOURCES_DATE } from '../../../vendors/known-models.ts';
import type { ChannelDraft, ChosenModel } from '../../actions/channel-drafts.ts';
import { type Offer, type UnitPrices, unitPrices } from '../../actions/offered-models.ts';
import type { ChoiceFault } from '../../actions/save-channel.ts';
import type { ConsoleContext } from '../frame.tsx';
import { BackToForm, draftPath, StepPage } from './connect-form.tsx';

/** More are found by their name: a page for a phone must not be endless. */
const ROWS_SHOWN = 12;
const MAX_ROWS = 300;

interface ModelsProps {
  context: ConsoleContext;
  draft: ChannelDraft;
  /** All that can be chosen. */
  offers: readonly Offer[];
  /** The search text. */
  query: string;
  faults?: readonly ChoiceFault[];
  notice?: Notice | undefined;
}

export function ModelsPage({ context, draft, offers, query, faults = [], notice }: ModelsProps) {
  const { connect } = context.words;
  const shown = rowsOf(offers, draft.chosen, query);
  const { listing } = draft;
  const connected = listing.ok ? { text: connect.connected(offers.length, milliseconds(listing.ms)) } : undefined;
  const more = <TextArea name="more" label={connect.more} help={connect.moreHelp} rows={3} />;
  return (
    <StepPage
      context={context}
      step="stepModels"
      title={connect.modelsTitle}
      lead={connect.modelsLead}
      notice={notice ?? connected}
    >
      <NotConnected context={context} draft={draft} />
      <form method="post" action={draftPath(draft)} data-once>
        <Hidden fields={{ shown: query }} />
        <div class="filters is-few">
          <TextField name="rate" label={connect.rate} value={draft.rate} inputmode="decimal" required />
          <TextField name="markup" label={connect.markup} value={draft.markup} inputmode="decimal" required />
        </div>
        {shown.length === 0 ? null : (
          <div class="offers">
            <DataTable
              label={connect.modelsTitle}
              columns={[connect.model, connect.id, connect.input, connect.output, connect.note]}
              rows={shown.map((row, index) => modelRow(context, row, index, faults))}
            />
          </div>
        )}
        {/* Where nothing is listed, names must be typed first. */}
        {offers.length === 0 ? more : null}
        <p class="faint">{connect.testLead}</p>
        <div class="row">
          <Submit text={connect.review} />
          {listing.ok ? <BackToForm context={context} href={changePath(draft)} /> : null}
        </div>
        {offers.length === 0 ? null : (
          <div class="pair is-below">
            {offers.length > shown.length || query !== '' ? (
              <div>
                <TextField name="q" label={connect.find} value={query} />
                <p class="faint">{connect.shown(shown.length, offers.length)}</p>
                <button type="submit" class="quiet" name="step" value="find">
                  {connect.findButton}
                </button>
              </div>
            ) : null}
            {more}
          </div>
        )}
      </form>
    </StepPage>
  );
}

/** Back to the form, with what was typed but the key. */
function changePath({ id, preset, isNew, channel }: ChannelDraft): string {
  return isNew ? `/connect/${preset.id}?draft=${id}` : `/channels/${encodeURIComponent(channel.name)}/edit`;
}

function NotConnected({ context, draft }: { context: ConsoleContext; draft: ChannelDraft }) {
  const { connect, problems } = context.words;
  const { listing } = draft;
  if (listing.ok) return null;
  const { name, todo } = problems[listing.problem];
  return (
    <>
      <NoticeBox notice={{ text: connect.notConnected(name, milliseconds(listing.ms)), isBad: true }} />
      <p class="id faint">{listing.detail}</p>
      <p>{todo}</p>
      <p>{connect.notConnectedHelp}</p>
      <p>
        <BackToForm context={context} href={changePath(draft)} />
      </p>
    </>
  );
}

interface Row {
  offer: Offer;
  value: ChosenModel;
  isChosen: boolean;
}

/** Chosen models first, then the found ones. */
function rowsOf(offers: readonly Offer[], chosen: readonly ChosenModel[], query: string): Row[] {
  const wanted = query.toLowerCase();
  const rows = chosen.flatMap((value) => {
    const offer = offers.find(({ model }) => model === value.model);
    return offer ? [{ offer, value, isChosen: true }] : [];
  });
  const found = offers
    .filter(({ model }) => model.toLowerCase().includes(wanted) && !chosen.some((one) => one.model === model))
    .slice(0, Math.max(0, ROWS_SHOWN - rows.length));
  return [...rows, ...found.map((offer) => ({ offer, value: offer, isChosen: false }))];
}

function modelRow(context: ConsoleContext, row: Row, index: number, faults: readonly ChoiceFault[]) {
  const { connect } = context.words;
  const { offer, value, isChosen } = row;
  const { model } = offer;
  const wrong = faults.filter((fault) => fault.model === model);
  const units = unitPrices(offer);
  const cell = (field: 'id' | 'input' | 'output', isFigure: boolean) => {
    const isWrong = wrong.some((fault) => fault.field === field);
    return (
      <>
        <input
          type="text"
          name={`m${index}-${field}`}
          value={value[field]}
          class={isFigure ? 'is-figure' : 'is-name'}
          aria-label={connect.of(connect[field], model)}
          autocomplete="off"
          {...(isFigure ? { inputmode: 'decimal' as const } : { autocapitalize: 'none', spellcheck: false })}
          {...(isWrong ? { 'aria-invalid': 'true' as const } : {})}
        />
        {isWrong ? <span class="under bad">{connect.faults[field]}</span> : null}
      </>
    );
  };
  return [
    <>
      <label class="check">
        <input
          type="checkbox"
          name={`m${index}-use`}
          value={model}
          checked={isChosen}
          aria-label={connect.useModel(model)}
        />
        <span class="id">{model}</span>
      </label>
      {wrong.some(({ field }) => field === 'kind') ? <span class="under bad">{connect.faults.kind}</span> : null}
    </>,
    cell('id', false),
    ...(units ? unitCells(context, row, index, units) : [cell('input', true), cell('output', true)]),
    <span class="faint">{noteOf(context, offer)}</span>,
  ];
}

/** The vendor's price as it is: the form has fields only for prices of tokens. */
function unitCells({ words }: ConsoleContext, { value }: Row, index: number, units: UnitPrices) {
  return [
    <span class="faint">{units.map(([name, usd]) => words.connect.unit(words.prices[name], usd)).join(' · ')}</span>,
    <>
      <Hidden fields={{ [`m${index}-input`]: value.input, [`m${index}-output`]: value.output }} />–
    </>,
  ];
}

function noteOf({ words: { connect } }: ConsoleContext, { known, listed, existing }: Offer): string {
  const notes = [
    ...(existing ? [connect.noteExisting] : []),
    ...(known?.retiresAt ? [connect.noteRetires(known.retiresAt)] : []),
    priceNote(connect, known, listed),
  ];
  return notes.join(connect.noteGap);
}

function priceNote(connect: ConsoleContext['words']['connect'], known: Offer['known'], listed: Offer['listed']) {
  if (listed?.usd) return connect.noteListed;
  if (!known) return connect.noteUnknown;
  return known.isSecondHand ? connect.noteSecondHand(SOURCES_DATE) : connect.noteKnown(SOURCES_DATE);
}

/** The input of the form: the chosen rows, and typed names. */
export function readChoice(form: URLSearchParams, offerFor: (model: string) => Offer): ChosenModel[] {
  const chosen: ChosenModel[] = [];
  for (let index = 0; index < MAX_ROWS; index++) {
    const model = typed(form, `m${index}-use`);
    if (model === '') continue;
    const field = (name: string) => typed(form, `m${index}-${name}`);
    chosen.push({ model, id: field('id'), input: field('input'), output: field('output') });
  }
  const more = typedLines(form, 'more')
    .split('\n')
    .map((line) => line.trim())
    .filter((model) => model !== '' && !chosen.some((one) => one.model === model));
  return [...chosen, ...[...new Set(more)].slice(0, MAX_ROWS).map((model) => toChosen(offerFor(model)))];
}

export function toChosen({ model, id, input, output }: ChosenModel): ChosenModel {
  return { model, id, input, output };
}
