// The shape of words: whatever is said in English is said in every other language, too. The compiler sees to it.

export type Said<Entry> = Entry extends string
  ? string
  : Entry extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Name in keyof Entry]: Said<Entry[Name]> };
