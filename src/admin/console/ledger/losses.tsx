/** @jsxImportSource hono/jsx */
// Upstream costs that no customer paid, by account, model, channel or reason.

import { count } from '../../../site/format.ts';
import { wordFor } from '../../../site/language.ts';
import { Figure, Money } from '../../../site/parts/amount.tsx';
import { Submit } from '../../../site/parts/button.tsx';
import { SelectField } from '../../../site/parts/field.tsx';
import { DataTable, figure, Under } from '../../../site/parts/table.tsx';
import { wholeNumber } from '../../../site/read-form.ts';
import { LOSS_BY, type LossView, showLosses, sumProfit } from '../../actions/profit.ts';
import { readNicknames } from '../customer.tsx';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';
import { DaysChart, SumKey } from './profit.tsx';

const DAYS = [7, 30, 90] as const;
const SHOWN_ROWS = 50;

export function addLossPage(visits: ConsoleVisits): void {
  visits.get('/ledger/losses', show);
}

async function show(visit: ConsoleVisit): Promise<Response> {
  const { page: context, tools } = visit;
  const { ledger, losses: words } = context.words;
  const { searchParams } = visit.url;
  const asked = wholeNumber(searchParams, 'days');
  const days = DAYS.find((one) => one === asked) ?? DAYS[0];
  const by = LOSS_BY.find((one) => one === searchParams.get('by')) ?? 'reason';
  const losses = await showLosses(tools, { by, days });
  const { from, to, sums } = losses;
  const rows = sums.slice(0, SHOWN_ROWS);
  const daily = (await sumProfit(tools, { by: 'day', days })).rows;
  const nicknames = await readNicknames(tools, by === 'account' ? rows.map(({ key }) => key) : []);
  return visit.show(
    <ConsolePage context={context} section="ledger" title={words.title} lead={words.lead}>
      <Choice context={context} losses={losses} />
      <div class="cards">
        <Figure title={words.together(from, to)} value={losses.total} />
        <Figure title={words.number} value={count(losses.losses)} />
      </div>
      {losses.total > 0n ? (
        <DaysChart
          context={context}
          daily={daily}
          titles={words}
          series={[{ name: words.title, look: 5, amount: ({ loss }) => loss }]}
        />
      ) : null}
      <DataTable
        none={words.none}
        label={words.title}
        columns={[words.by[by], figure(words.number), figure(ledger.amount)]}
        rows={rows.map(({ key, losses: number, amount }) => [
          by === 'reason' && key !== null ? (
            <Under of={wordFor(words.reasons, key) ?? key} text={key} class="id" />
          ) : (
            <SumKey {...{ by, name: key, none: words.noChannel, nicknames }} />
          ),
          count(number),
          <Money value={amount} />,
        ])}
      />
      {sums.length > rows.length ? <p class="note">{words.more(count(rows.length))}</p> : null}
      <p class="faint">{words.guardNote}</p>
    </ConsolePage>,
  );
}

function Choice({ context, losses }: { context: ConsoleContext; losses: LossView }) {
  const { losses: words } = context.words;
  const kinds = LOSS_BY.map((name) => [name, words.by[name]] as const);
  const days = DAYS.map((many) => [String(many), words.days(many)] as const);
  return (
    <form method="get" action="/ledger/losses" class="filters">
      <SelectField name="by" label={words.byLabel} value={losses.by} choices={kinds} />
      <SelectField name="days" label={words.daysLabel} value={String(losses.days)} choices={days} />
      <Submit look="quiet" text={words.show} />
    </form>
  );
}
