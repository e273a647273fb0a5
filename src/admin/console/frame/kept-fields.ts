// Which fields of the console's forms are carried over a sign-in. Not the token, and not the document, whose text may hold
// keys of upstreams; nor what is no field of a form that can be filled in: tickets, confirmations, files.

import type { KeptFields } from '../../../site/typed-before.ts';

const NAMES: ReadonlySet<string> = new Set([
  ...['amount', 'kind', 'reason', 'name', 'count', 'expires', 'note'],
  ...['titleEn', 'titleZh', 'textEn', 'textZh', 'started', 'ended', 'endedBefore'],
  ...['list', 'bill', 'rate', 'markup', 'channel', 'cost', 'free'],
]);
/** The revision that was edited: what others have done since must be seen. */
const BASE = 'base';
/** Of the prices of a model. */
const PRICE = /^(sale|cost)-/;

export const KEPT_FIELDS: KeptFields = {
  has: (name) => NAMES.has(name) || PRICE.test(name) || name === BASE,
  pages: BASE,
  mostChars: 1024 * 1024,
};
