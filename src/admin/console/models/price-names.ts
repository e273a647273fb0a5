// What each price is called.

import type { PriceName } from '../../../catalog/listed-prices.ts';
import type { Language } from '../../../site/language.ts';
import { consoleWords } from '../words/words.ts';

export function priceNames(language: Language): Record<PriceName, string> {
  const { input, cached_input, cache_write_5m, cache_write_1h, output, image } = consoleWords(language).prices;
  return { input, cached_input, cache_write_5m, cache_write_1h, output, image };
}
