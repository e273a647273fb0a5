/** @jsxImportSource hono/jsx */
// The first two steps of a channel's form: the vendor, then address and key. A key is never sent back to the page.

import type { Child } from 'hono/jsx';
import { UNIT_NAMES } from '../../../catalog/listed-prices.ts';
import type { Fields } from '../../../catalog/loose-fields.ts';
import { decimal, milliseconds, withGap } from '../../../site/format.ts';
import type { Notice } from '../../../site/frame.tsx';
import { wordsOf } from '../../../site/language.ts';
import { LinkButton, SubmitRow } from '../../../site/parts/button.tsx';
import { Hidden, SelectField, TextField } from '../../../site/parts/field.tsx';
import { DataTable, Under } from '../../../site/parts/table.tsx';
import { SOURCES_DATE } from '../../../vendors/known-models.ts';
import { OTHER, VENDOR_PRESETS, type VendorPreset } from '../../../vendors/presets.ts';
import type { ChannelDraft } from '../../actions/channel-drafts.ts';
import type { ReviewedDraft } from '../../actions/save-channel.ts';
import type { ChannelTest } from '../../actions/test-channel.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import { Diff, DocumentFaults, Warnings } from '../models/review.tsx';

const STEPS = ['stepVendor', 'stepConnect', 'stepModels', 'stepReview'] as const;
type Step = (typeof STEPS)[number];

interface StepPageProps {
  context: ConsoleContext;
  step: Step;
  title: string;
  lead: string;
  notice?: Notice | undefined;
  children?: Child;
}

export function StepPage({ context, step, title, lead, notice, children }: StepPageProps) {
  const { connect } = context.words;
  return (
    <ConsolePage context={context} section="channels" title={title} lead={lead} notice={notice}>
      <ol class="steps" aria-label={connect.steps}>
        {STEPS.map((name) => (
          <li {...(name === step ? { 'aria-current': 'step' as const } : {})}>{connect[name]}</li>
        ))}
      </ol>
      {children}
    </ConsolePage>
  );
}

export function VendorsPage({ context }: { context: ConsoleContext }) {
  const { connect } = context.words;
  return (
    <StepPage context={context} step="stepVendor" title={connect.title} lead={connect.lead}>
      <ul class="vendors">
        {VENDOR_PRESETS.map(({ id, name, baseUrl, addressExample = '' }) => (
          <Tile id={id} name={name} hint={new URL(baseUrl ?? addressExample).host} letters={lettersOf(name)} />
        ))}
        <Tile id={OTHER.id} name={connect.other} hint={connect.otherHint} letters="+" />
      </ul>
      <p>
        <a href="/models/document">{connect.byYaml}</a>
      </p>
    </StepPage>
  );
}

/** The first letter, and the next capital or letter: `DeepSeek` is DS, `Groq` is Gr. */
function lettersOf(name: string): string {
  const [first = '', ...rest] = name.replace(/\(.*/, '').replaceAll(' ', '');
  return first + (rest.find((letter) => /\p{Lu}/u.test(letter)) ?? rest[0] ?? '');
}

function Tile({ id, name, hint, letters }: { id: string; name: string; hint: string; letters: string }) {
  return (
    <li>
      <a href={`/connect/${id}`}>
        <span class="monogram" aria-hidden="true">
          {letters}
        </span>
        <strong>{name}</strong> <span class="faint">{hint}</span>
      </a>
    </li>
  );
}

export type ConnectField = 'name' | 'base_url' | 'api_key';

interface ConnectProps {
  context: ConsoleContext;
  preset: VendorPreset;
  /** The channel that is edited; undefined for a new one. */
  editing?: string;
  /** Where the form is sent. */
  action: string;
  back: string;
  values: { name: string; address: string; kind: string };
  hasKey?: boolean;
  faults?: Partial<Record<ConnectField, string>>;
  notice?: Notice | undefined;
}

export function ConnectPage(props: ConnectProps) {
  const { context, preset, editing, action, back, values, hasKey = false, faults = {}, notice } = props;
  const { connect } = context.words;
  const { addressExample, isOwnServer, source } = preset;
  const title = editing === undefined ? connect.connectTitle(preset.name || connect.other) : connect.editTitle(editing);
  const [wrong] = Object.keys(faults);
  const keyHelp = [
    connect.keyHelp,
    ...(hasKey ? [connect.keyStays] : []),
    ...(isOwnServer ? [connect.keyNotNeeded] : []),
  ];
  return (
    <StepPage context={context} step="stepConnect" title={title} lead={connect.connectLead} notice={notice}>
      <form method="post" action={action} class="narrow" data-once>
        {editing === undefined ? (
          <TextField
            name="name"
            label={connect.name}
            help={connect.nameHelp}
            value={values.name}
            fault={faults.name}
            hasFocus={wrong === 'name'}
            autocapitalize="none"
            spellcheck={false}
            required
          />
        ) : null}
        {preset.id === OTHER.id && editing === undefined ? (
          <SelectField
            name="kind"
            label={connect.format}
            value={values.kind}
            choices={Object.entries(connect.formats).map(([kind, text]) => [kind, text] as const)}
          />
        ) : null}
        <TextField
          name="address"
          type="url"
          label={connect.address}
          help={addressExample === undefined ? undefined : connect.addressExample(addressExample)}
          value={values.address}
          fault={faults.base_url}
          hasFocus={wrong === 'base_url'}
          required
        />
        <TextField
          name="key"
          type="password"
          autocomplete="new-password"
          label={connect.key}
          help={keyHelp.join(' ')}
          fault={faults.api_key}
          hasFocus={wrong === 'api_key'}
          required={!hasKey && !isOwnServer && preset.id !== OTHER.id}
        />
        {source === undefined || editing !== undefined ? null : (
          <p class="faint">
            {withGap(connect.addressSource(SOURCES_DATE))}
            <a href={source} rel="noreferrer">
              {connect.source}
            </a>
          </p>
        )}
        <SubmitRow text={connect.connect} back={back} backText={connect.back} />
      </form>
    </StepPage>
  );
}

export function BackToForm({ context, href }: { context: ConsoleContext; href: string }) {
  return <LinkButton look="quiet" href={href} text={context.words.connect.changeConnection} />;
}

export function draftPath({ id }: Pick<ChannelDraft, 'id'>): string {
  return `/connect/drafts/${id}`;
}

interface ReviewProps {
  context: ConsoleContext;
  draft: ChannelDraft;
  reviewed: ReviewedDraft;
  notice?: Notice | undefined;
}

export function ConnectReview({ context, draft, reviewed, notice }: ReviewProps) {
  const { connect } = context.words;
  const { planned, diff, warnings, faults, revision } = reviewed;
  const failed = draft.tests.filter(({ ok }) => !ok).length;
  return (
    <StepPage
      context={context}
      step="stepReview"
      title={connect.reviewTitle(draft.channel.name)}
      lead={connect.reviewLead}
      notice={notice ?? testNotice(context, draft)}
    >
      <DocumentFaults context={context} title={connect.faults.document} faults={faults ?? []} />
      {planned.length === 0 ? (
        <p>{connect.noneChosen}</p>
      ) : (
        <DataTable
          label={connect.stepReview}
          columns={[connect.id, connect.test, connect.price, connect.cost]}
          rows={planned.map((one) => [
            <Under of={<span class="id">{one.id}</span>} text={one.id === one.model ? '' : one.model} class="id" />,
            <TestResult context={context} test={draft.tests.find(({ model }) => model === one.model)} />,
            one.isExisting ? connect.stays : prices(context, one.sale),
            prices(context, one.cost),
          ])}
        />
      )}
      <form method="post" action={`${draftPath(draft)}/review`} data-once>
        <Hidden fields={{ base: revision }} />
        <Warnings context={context} warnings={warnings} />
        {faults ? null : (
          <SubmitRow
            text={failed > 0 ? connect.saveAnyway : connect.save}
            back={draftPath(draft)}
            backText={connect.back}
          />
        )}
      </form>
      <details>
        <summary>{connect.differences}</summary>
        <Diff context={context} lines={diff} label={connect.differences} />
      </details>
    </StepPage>
  );
}

function testNotice({ words: { connect } }: ConsoleContext, { tests }: ChannelDraft): Notice | undefined {
  const failed = tests.filter(({ ok }) => !ok).length;
  if (failed > 0) return { text: connect.someFailed(failed, tests.length), isBad: true };
  return tests.length === 0 ? undefined : { text: connect.allPassed };
}

function TestResult({ context, test }: { context: ConsoleContext; test: ChannelTest | undefined }) {
  const { connect, problems } = context.words;
  if (!test) return <span class="state unknown">{connect.untested}</span>;
  if (test.trouble === null) return <span class="state operational">{connect.passed(milliseconds(test.ms))}</span>;
  const { name, todo } = problems[test.trouble];
  return (
    <>
      <span class="state down">{name}</span>
      <span class="under">
        {connect.failed(milliseconds(test.ms)) + wordsOf(context.language).account.colon}
        <span class="id">{test.detail}</span>
      </span>
      <span class="under">{todo}</span>
    </>
  );
}

function prices({ words: { connect, prices: names } }: ConsoleContext, list: Fields | undefined) {
  if (list === undefined) return connect.free;
  const units = UNIT_NAMES.filter((name) => list[name] !== undefined);
  if (units.length > 0)
    return <span class="number">{units.map((name) => `${names[name]} ${priceOf(list, name)}`)}</span>;
  return <span class="number">{connect.pair(priceOf(list, 'input'), priceOf(list, 'output'))}</span>;
}

function priceOf(list: Fields, name: string): string {
  return list[name] === undefined ? '–' : decimal(String(list[name]));
}
