// Which fields of the console's forms are carried over a sign-in. Not the token, and not the document, whose text may hold
// keys of upstreams; nor what is no field of a form that can be filled in: tickets, confirmations, files.

import type { KeptFields } from '../../typed-before.ts';

const NAMES: ReadonlySet<string> = new Set([
  ...['amount', 'kind', 'reason', 'name', 'count', 'expires', 'note'],
  ...['titleEn', 'titleZh', 'textEn', 'textZh', 'started', 'ended', 'endedBefore'],
  ...['list', 'bill', 'rate', 'markup', 'channel', 'cost', 'free'],
]);
/** Of the prices of a model. */
const PRICE = /^(sale|cost)-/;

export const KEPT_FIELDS: KeptFields = {
  has: (name) => NAMES.has(name) || PRICE.test(name),
  // Sent once more it is longer by two thirds at most.
  mostChars: 1024 * 1024,
};
