// Parameters and results of the store's reads, which are in `read-table.ts`.

export type * from './account-list.ts';
export { ACCOUNT_SORTS } from './account-list.ts';
export type * from './account-reads.ts';
export type * from './audit-read.ts';
export type * from './card-reads.ts';
export type * from './ledger-reads.ts';
export { LOSS_BY } from './ledger-reads.ts';
export type * from './operator-reads.ts';
export type * from './profit-reads.ts';
export { PROFIT_BY } from './profit-reads.ts';
export type * from './revision-reads.ts';
export type * from './usage-queries.ts';
export { MAX_SORTED, USAGE_SORTS } from './usage-queries.ts';
export type * from './usage-reads.ts';
