/** @jsxImportSource hono/jsx */
// What upstreams billed and no customer paid, by account, model, channel or reason.

import { count, money } from '../../../site/format.ts';
import { Amount } from '../../../site/parts/amount.tsx';
import { Field } from '../../../site/parts/field.tsx';
import type { LossSum } from '../../../store/reads.ts';
import { LOSS_BY, type LossBy, type LossView, showLosses } from '../../actions/losses.ts';
import { type ConsoleContext, ConsolePage } from '../frame/frame.tsx';
import { wholeNumber } from '../frame/read-form.ts';
import type { ConsoleVisits } from '../frame/visit.tsx';
import { DataTable } from '../parts/data-table.tsx';
import type { ConsoleTools } from '../tools.ts';
import { consoleWords } from '../words/words.ts';
import { ledgerTabs } from './tabs.ts';

const DAYS = [7, 30, 90] as const;

export function addLossPage(visits: ConsoleVisits, tools: ConsoleTools): void {
  visits.get('/ledger/losses', async (visit) => {
    const { searchParams } = visit.url;
    const by = LOSS_BY.find((one) => one === searchParams.get('by')) ?? 'reason';
    const asked = wholeNumber(searchParams, 'days');
    const days = DAYS.find((one) => one === asked) ?? DAYS[0];
    return visit.show(<LossesPage context={visit.page} losses={await showLosses(tools, { by, days })} />);
  });
}

interface LossesProps {
  context: ConsoleContext;
  losses: LossView;
}

function LossesPage({ context, losses }: LossesProps) {
  const { ledger, losses: words } = consoleWords(context.language);
  const { by, from, to, sums, hasMore } = losses;
  return (
    <ConsolePage
      context={context}
      section="ledger"
      title={words.title}
      lead={words.lead}
      tabs={ledgerTabs(context.language)}
    >
      <Choice context={context} losses={losses} />
      <div class="cards">
        <div>
          <p class="faint">{words.together(from, to)}</p>
          <Amount value={losses.total} />
        </div>
        <div>
          <p class="faint">{words.number}</p>
          <strong class="figure">{count(losses.losses)}</strong>
        </div>
      </div>
      {sums.length === 0 ? (
        <p class="empty">{words.none}</p>
      ) : (
        <DataTable
          label={words.title}
          columns={[
            { text: words.by[by] },
            { text: words.number, isFigure: true },
            { text: ledger.amount, isFigure: true },
          ]}
          rows={sums.map((sum) => [<Key context={context} by={by} sum={sum} />, count(sum.losses), money(sum.amount)])}
        />
      )}
      {hasMore ? <p class="note">{words.more(count(sums.length))}</p> : null}
      <p class="faint">{words.guardNote}</p>
    </ConsolePage>
  );
}

function Choice({ context, losses }: LossesProps) {
  const { losses: words } = consoleWords(context.language);
  return (
    <form method="get" action="/ledger/losses" class="filters">
      <Field name="by" label={words.byLabel}>
        <select id="by" name="by">
          {LOSS_BY.map((name) => (
            <option value={name} selected={losses.by === name}>
              {words.by[name]}
            </option>
          ))}
        </select>
      </Field>
      <Field name="days" label={words.daysLabel}>
        <select id="days" name="days">
          {DAYS.map((days) => (
            <option value={String(days)} selected={losses.days === days}>
              {words.days(days)}
            </option>
          ))}
        </select>
      </Field>
      <button type="submit" class="quiet">
        {words.show}
      </button>
    </form>
  );
}

function Key({ context, by, sum: { key } }: { context: ConsoleContext; by: LossBy; sum: LossSum }) {
  const { losses: words } = consoleWords(context.language);
  if (key === null) return <span class="faint">{words.noChannel}</span>;
  if (by === 'reason') return <Reason context={context} reason={key} />;
  if (by === 'model') return <span class="id">{key}</span>;
  const path = by === 'account' ? 'accounts' : 'channels';
  return (
    <a class="id" href={`/${path}/${encodeURIComponent(key)}`}>
      {key}
    </a>
  );
}

function Reason({ context, reason }: { context: ConsoleContext; reason: string }) {
  const known: Readonly<Record<string, string>> = consoleWords(context.language).losses.reasons;
  return (
    <>
      {known[reason] ?? reason}
      <span class="under id">{reason}</span>
    </>
  );
}
