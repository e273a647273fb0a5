/** @jsxImportSource hono/jsx */
// The last step of a channel's form: what the tests found, what customers will pay, what changes; then it is saved.

import { UNIT_NAMES } from '../../../catalog/listed-prices.ts';
import type { Fields } from '../../../catalog/loose-fields.ts';
import { decimal, milliseconds } from '../../../site/format.ts';
import type { Notice } from '../../../site/frame.tsx';
import { wordsOf } from '../../../site/language.ts';
import { SubmitRow } from '../../../site/parts/button.tsx';
import { Hidden } from '../../../site/parts/field.tsx';
import { DataTable, Under } from '../../../site/parts/table.tsx';
import type { ChannelDraft } from '../../actions/channel-drafts.ts';
import type { PlannedModel, ReviewedDraft } from '../../actions/save-channel.ts';
import type { ChannelTest } from '../../actions/test-channel.ts';
import type { ConsoleContext } from '../frame.tsx';
import { Diff, DocumentFaults, Warnings } from '../models/review.tsx';
import { StepPage } from './connect-form.tsx';
import { draftPath } from './model-form.tsx';

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
  const { connect, troubles } = context.words;
  if (!test) return <span class="state unknown">{connect.untested}</span>;
  if (test.trouble === null) return <span class="state operational">{connect.passed(milliseconds(test.ms))}</span>;
  const { name, todo } = troubles[test.trouble];
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

function prices({ words: { connect, prices: names } }: ConsoleContext, list: PlannedModel['sale']) {
  if (list === undefined) return connect.free;
  const units = UNIT_NAMES.filter((name) => list[name] !== undefined);
  if (units.length > 0)
    return <span class="number">{units.map((name) => `${names[name]} ${priceOf(list, name)}`)}</span>;
  return <span class="number">{connect.pair(priceOf(list, 'input'), priceOf(list, 'output'))}</span>;
}

function priceOf(list: Fields, name: string): string {
  return list[name] === undefined ? '–' : decimal(String(list[name]));
}
