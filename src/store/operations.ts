// All writes of the store, as whole operations: each is decided and written entirely or not at all. An operation's input, the
// pages that it touches, what it decides and its result are together in a file of book/.

export type * from './admission.ts';
export type * from './book/cards.ts';
export type * from './book/close.ts';
export type { Input, Operation, OperationName, Result } from './book/decide.ts';
export type * from './book/key-count.ts';
export type * from './book/keyring.ts';
export type * from './book/logins.ts';
export type * from './book/operator.ts';
export type * from './book/redeem.ts';
export type * from './book/refund.ts';
export type * from './book/register.ts';
export type * from './book/webhooks.ts';
export type * from './key-chain.ts';
