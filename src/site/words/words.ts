// The shape of the dictionary: whatever the English one says, every other language says too. The compiler sees to it.

import type { en } from './en.ts';

export type Said<Entry> = Entry extends string
  ? string
  : Entry extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Name in keyof Entry]: Said<Entry[Name]> };

export type Words = Said<typeof en>;
