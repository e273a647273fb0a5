// The type of a translation: the same keys as English, with texts and functions of the same kind.

export type Translated<Entry> = Entry extends string
  ? string
  : Entry extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Name in keyof Entry]: Translated<Entry[Name]> };
