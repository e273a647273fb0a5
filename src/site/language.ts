// Which language a visitor reads: what they chose, else what their browser prefers, else English.

import { requestUrl } from '../kit/request-url.ts';
import { readCookie } from './cookies.ts';
import { en, type Words, zh } from './words/words.ts';

export const LANGUAGES = ['zh-TW', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

export const LANGUAGE_COOKIE = 'lang';
const WORDS: Record<Language, Words> = { 'zh-TW': zh, en };

export function wordsOf(language: Language): Words {
  return WORDS[language];
}

/** Looks up a text by a name that may be unknown: a later version may have written it. */
export function wordFor(words: object, name: string): string | undefined {
  const said: unknown = Object.hasOwn(words, name) ? Reflect.get(words, name) : undefined;
  return typeof said === 'string' ? said : undefined;
}

export function chooseLanguage(request: Pick<Request, 'headers' | 'url'>): Language {
  return (
    toLanguage(requestUrl(request).searchParams.get('lang')) ??
    toLanguage(readCookie(request.headers, LANGUAGE_COOKIE)) ??
    preferredLanguage(request.headers.get('accept-language') ?? '')
  );
}

/** As people write it: `zh`, `zh-Hant`, `zh_TW`. Any Chinese is Taiwan's here. */
export function toLanguage(text: string | null | undefined): Language | undefined {
  const [name] = text?.toLowerCase().split(/[-_]/) ?? [];
  return LANGUAGES.find((language) => language.split('-')[0] === name);
}

/** Any Chinese is answered in Taiwan's; of several the one with the greatest weight counts. */
function preferredLanguage(header: string): Language {
  const preferred = header
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.trim().toLowerCase().split(';');
      const weight = parameters.map((parameter) => /^\s*q=([\d.]+)$/.exec(parameter)?.[1]).find(Boolean);
      return { tag, weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ tag, weight }) => weight > 0 && /^(zh|en)\b/.test(tag))
    .sort((a, b) => b.weight - a.weight);
  return preferred[0]?.tag.startsWith('zh') ? 'zh-TW' : 'en';
}
