/** @jsxImportSource hono/jsx */
// The price history as visitors read it: what changed when, from which price to which.

import { PRICE_ORDER } from '../../catalog/listed-prices.ts';
import {
  hasSameRules,
  type ListedPrice,
  MAX_PRICE_CHANGES,
  type ModelChange,
  type PriceChange,
} from '../../catalog/publishing/price-history.ts';
import { dateTime } from '../format.ts';
import { type Language, wordsOf } from '../language.ts';
import { Table } from '../parts/table.tsx';
import { amountText, priceTexts, ruleTexts } from './price-rules.ts';

export function PriceHistory({ language, history }: { language: Language; history: readonly PriceChange[] }) {
  const { pricing } = wordsOf(language);
  return (
    <>
      <Table
        label={pricing.history}
        columns={[pricing.revision, pricing.since, pricing.changes]}
        class="stack is-history"
      >
        {history.map((change) => (
          <tr>
            <th scope="row" class="number">
              {pricing.listNumber(change.revision)}
            </th>
            <td class="number may-wrap" data-label={pricing.since}>
              {dateTime(change.since)}
            </td>
            <td>
              <Changes language={language} change={change} />
            </td>
          </tr>
        ))}
      </Table>
      {history.length === MAX_PRICE_CHANGES ? <p class="faint">{pricing.latestChanges(MAX_PRICE_CHANGES)}</p> : null}
    </>
  );
}

/** A whole list at once is long: the first one, or one after which nothing is as it was. */
const MAX_OPEN = 10;

function Changes({ language, change: { changes, isFirst } }: { language: Language; change: PriceChange }) {
  const { pricing } = wordsOf(language);
  const lines = (
    <ul>
      {changes.map((change) => (
        <li>{changeText(language, change)}</li>
      ))}
    </ul>
  );
  if (!isFirst && changes.length <= MAX_OPEN) return lines;
  return (
    <details>
      <summary>{isFirst ? pricing.firstList(changes.length) : pricing.manyChanged(changes.length)}</summary>
      {lines}
    </details>
  );
}

function changeText(language: Language, { id, before, after }: ModelChange): string {
  const { pricing } = wordsOf(language);
  if (!before) return pricing.added(id, listText(language, after));
  if (!after) return pricing.removed(id, listText(language, before));
  if (before.isFree || after.isFree)
    return pricing.changed(id, fromTo(listText(language, before), listText(language, after)));
  const changed = PRICE_ORDER.filter((name) => before.prices[name] !== after.prices[name]).map((name) => {
    const [from, to] = [before, after].map(({ prices }) => amountText(name, prices[name]));
    return `${pricing[name]} ${fromTo(from ?? '–', to ?? '–')}`;
  });
  if (!hasSameRules(before, after)) changed.push(fromTo(rulesText(language, before), rulesText(language, after)));
  return pricing.changed(id, changed.join(pricing.comma));
}

const fromTo = (from: string, to: string) => `${from} → ${to}`;

function listText(language: Language, listed: ListedPrice | undefined): string {
  const { pricing } = wordsOf(language);
  if (!listed || listed.isFree) return pricing.free;
  const texts = priceTexts(language, listed.prices, (name) => listed.prices[name] !== undefined);
  return [...texts, ...rulesOf(language, listed)].join(pricing.comma);
}

function rulesOf(language: Language, { rules, prices }: ListedPrice): string[] {
  return ruleTexts(language, rules, (name) => prices[name] !== undefined);
}

function rulesText(language: Language, listed: ListedPrice): string {
  return rulesOf(language, listed).join(wordsOf(language).pricing.comma) || '–';
}
