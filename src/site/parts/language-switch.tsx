/** @jsxImportSource hono/jsx */
// The same page in the other language.

import { LANGUAGES, type Language, wordsOf } from '../language.ts';

interface LanguageSwitchProps {
  /** The path that is shown, and what it knows of its query. */
  context: { language: Language; path: string; query: string };
}

export function LanguageSwitch({ context: { language, path, query } }: LanguageSwitchProps) {
  const other = LANGUAGES.find((one) => one !== language) ?? 'en';
  const params = new URLSearchParams(query);
  params.set('lang', other);
  return (
    <a class="language" href={`${path}?${params}`} lang={other} hreflang={other} data-keep-code>
      {wordsOf(other).frame.name}
    </a>
  );
}
