// Money, times and counts as pages show them: NT$ always, Taipei time with its zone, figures in groups of three.

import { formatNtd, NANO_PER_NTD, type Nano, ntdNumber } from '../kit/money.ts';
import { percentOf } from '../kit/percent.ts';
import { LISTED_UNITS, type Prices } from '../kit/prices.ts';

const TAIPEI = 'Asia/Taipei';

/** The exact amount, with at least two decimals: for details, titles and forms. Lists use `roundedMoney`. */
export function money(amount: Nano): string {
  const text = formatNtd(amount);
  const [whole = '0', decimals = ''] = text.split('.');
  const sign = whole.startsWith('-') ? '−' : '';
  return `${sign}NT$${groups(whole.replace('-', ''))}.${decimals.padEnd(2, '0')}`;
}

const CENT: Nano = NANO_PER_NTD / 100n;
const MIN_SHOWN: Nano = NANO_PER_NTD / 10_000n;

/** For lists: two decimals from NT$1 on, up to four below it. */
export function roundedMoney(amount: Nano): string {
  if (amount === 0n) return 'NT$0';
  const size = amount < 0n ? -amount : amount;
  if (size < MIN_SHOWN) return amount < 0n ? '> −NT$0.0001' : '< NT$0.0001';
  const small = roundedTo(size, MIN_SHOWN);
  const rounded = small < NANO_PER_NTD ? small : roundedTo(size, CENT);
  return money(amount < 0n ? -rounded : rounded);
}

/** Half of a step is rounded up. */
function roundedTo(size: Nano, step: Nano): Nano {
  return ((size + step / 2n) / step) * step;
}

export function count(value: number): string {
  return groups(String(value));
}

const COMPACT_FROM = 10_000;
/** For a glance: 5.8M, or 580萬. */
export function compactCount(language: string, value: number): string {
  if (value < COMPACT_FROM) return count(value);
  return new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 }).format(value);
}

/** A price as the document has it, grouped: 1,560 or 8.125. */
export function decimal(text: string): string {
  const [whole = '', ...decimals] = text.split('.');
  return [groups(whole), ...decimals].join('.');
}

/** A price as price lists write it: NT$ for one million tokens, for one image, and so on. */
export function listPrice(name: keyof Prices, price: Nano): number {
  return ntdNumber(price * LISTED_UNITS[name]);
}

export function priceNumber(price: number): string {
  return price.toLocaleString('en', { maximumFractionDigits: 9 });
}

export function dateTime(at: number): string {
  return `${formatted(at, { dateStyle: 'short', timeStyle: 'medium', hourCycle: 'h23' })} UTC+8`;
}

export function date(at: number): string {
  return formatted(at, { dateStyle: 'short' });
}

export function milliseconds(value: number | null): string {
  return value === null ? '–' : `${count(Math.round(value))} ms`;
}

/** A time that is only known by the step of a histogram that it is in. */
export function atMost(value: number | null): string {
  return value === null ? '–' : `≤\u00a0${milliseconds(value)}`;
}

export function percent(value: number | null): string {
  if (value === null) return '–';
  return `${percentOf(value).toFixed(value === 0 || value >= 1 ? 0 : 1)} %`;
}

/** Sweden writes dates as ISO does: 2026-11-15 08:30:00, which reads the same in every language. */
function formatted(at: number, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: TAIPEI, ...options }).format(at);
}

function groups(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** As texts are searched: neither case nor width matters. */
export function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** One after the other. */
export function sentences(...texts: readonly string[]): string {
  return texts
    .filter((text) => text !== '')
    .reduce((before, text) => withGap(before) + text, '')
    .trimStart();
}

/** A text that something follows; a full-width stop has its space in itself. */
export function withGap(text: string): string {
  return /[。！？；：]$/.test(text) ? text : `${text} `;
}
