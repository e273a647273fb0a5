/** @jsxImportSource hono/jsx */
// Facts of actions and alarms: stored under names for machines, shown in the operator's words, times and NT$. Subjects with their
// own page are links.

import { parseNtd } from '../../../kit/money.ts';
import { count, dateTime, milliseconds, money } from '../../../site/format.ts';
import { type Language, wordFor } from '../../../site/language.ts';
import { IdLink } from '../../../site/parts/button.tsx';
import { channelPath } from '../channels/list.tsx';
import type { Nicknames } from '../customer.tsx';
import { type ConsoleWords, consoleWords } from '../words/words.ts';

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const SHOWN_COUNTS = ['count', 'seen', 'lines', 'wallets', 'entries', 'differences', 'lines_added', 'lines_removed'];

type StoredFacts = Readonly<Record<string, unknown>>;

interface FactsProps {
  language: Language;
  facts: StoredFacts;
  nicknames?: Nicknames;
}

/** `Amount NT$100.00`, one after the other. An account is called by its nickname, if it is given. */
export function Facts({ language, facts, nicknames }: FactsProps) {
  const entries = Object.entries(facts).filter(([, value]) => !isEmpty(value));
  if (entries.length === 0) return <>–</>;
  return (
    <span class="details">
      {entries.map(([name, value]) => (
        <Fact {...{ language, name, value, nickname: nicknames?.get(String(value)) }} />
      ))}
    </span>
  );
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

interface FactProps {
  language: Language;
  name: string;
  value: unknown;
  nickname: string | undefined;
}

function Fact({ language, name, value, nickname }: FactProps) {
  const words = consoleWords(language);
  const path = pathOfFact(name, String(value));
  const text = formatFact(words, name, value);
  const plainName = name.replace(/_nano$/, '');
  return (
    <span>
      <span class="faint" title={plainName}>
        {wordFor(words.log.facts, plainName) ?? plainName}
      </span>{' '}
      {nickname !== undefined ? (
        <a class="nickname" href={path} title={text}>
          {nickname}
        </a>
      ) : path === undefined ? (
        text
      ) : (
        <IdLink href={path} text={text} />
      )}
    </span>
  );
}

function formatFact(words: ConsoleWords, name: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? words.log.yes : words.log.no;
  if (typeof value === 'number') return formatNumber(name, value);
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ');
  if (typeof value !== 'string') return JSON.stringify(value);
  if (INSTANT.test(value)) return dateTime(Date.parse(value));
  if (name === 'kind') return wordFor(words.cards, value) ?? value;
  return formatAmount(name, value) ?? value;
}

function formatNumber(name: string, value: number): string {
  if (name === 'ms') return milliseconds(value);
  return SHOWN_COUNTS.includes(name) ? count(value) : String(value);
}

/** Stored as NT$, or in billionths of them. */
function formatAmount(name: string, text: string): string | undefined {
  if (name.endsWith('_nano') && /^-?\d+$/.test(text)) return money(BigInt(text));
  if (!name.endsWith('_ntd')) return undefined;
  const amount = parseNtd(text);
  return amount === undefined ? undefined : money(amount);
}

function pathOfFact(name: string, text: string): string | undefined {
  if (name === 'channel') return channelPath(text);
  if (/^(\w+_)?revision$/.test(name) && /^\d+$/.test(text)) return `/models/revisions/${text}`;
  return pathOfId(text);
}

/** A request or a key links to its account. An incident links to the list, because it may have been deleted. */
export function pathOfId(id: string): string | undefined {
  if (/^acc_\w+$/.test(id)) return `/accounts/${id}`;
  if (/^batch_\w+$/.test(id)) return `/cards/batches/${id}`;
  if (/^inc_\w+$/.test(id)) return '/incidents';
  return /^(req|key)_\w+$/.test(id) ? `/accounts?q=${id}` : undefined;
}
