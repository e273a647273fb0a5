/** @jsxImportSource hono/jsx */
// The sums of the usage page and its chart. Each sum is also the switch that makes the chart show it.

import type { UsageTotals } from '../../store/reads.ts';
import { compactCount, count } from '../format.ts';
import { Links } from '../frame.tsx';
import { Money } from '../parts/amount.tsx';
import { GROUPS, MEASURES, type Measure, tokensOf, UsageChart } from './usage-chart.tsx';
import { type UsageProps, usageAddress } from './usage-facts.ts';

export function UsageSums({ context, facts, totals }: UsageProps & { totals: UsageTotals }) {
  const { usageView } = context.words.account;
  const { filters, view, period, parts, keyNames } = facts;
  // Free models cost nothing: what is drawn then is how much they were used.
  const measure = view.measure ?? (totals.cost === 0n ? 'requests' : 'cost');
  const isChosen = (id: string) => filters[view.by] === id;
  return (
    <>
      <nav class="cards measures" aria-label={usageView.measure}>
        {MEASURES.map((name) => (
          <a href={usageAddress(facts, { measure: name })} {...(name === measure ? { 'aria-current': 'true' } : {})}>
            <span class="faint">{usageView.measures[name]}</span>
            <strong class="figure">
              <Sum context={context} measure={name} totals={totals} />
            </strong>
          </a>
        ))}
      </nav>
      <nav class="choices-line" aria-label={usageView.splitBy}>
        <span class="faint">{usageView.splitBy}</span>
        <Links
          links={GROUPS.map((by) => ({ path: usageAddress(facts, { by }), text: usageView.groups[by] }))}
          current={usageAddress(facts, { by: view.by })}
        />
      </nav>
      <UsageChart
        {...{ context, period, parts, measure, by: view.by }}
        nameOf={(id) => (view.by === 'key' ? (keyNames.get(id) ?? id) : id)}
        hrefOfDates={(dates) => usageAddress(facts, { ...dates })}
        hrefOfGroup={(id) => usageAddress(facts, { [view.by]: isChosen(id) ? '' : id })}
      />
    </>
  );
}

interface SumProps {
  context: UsageProps['context'];
  measure: Measure;
  totals: UsageTotals;
}

function Sum({ context, measure, totals }: SumProps) {
  if (measure === 'cost') return <Money value={totals.cost} />;
  const value = measure === 'requests' ? totals.requests : tokensOf(totals);
  return <span title={count(value)}>{compactCount(context.language, value)}</span>;
}
