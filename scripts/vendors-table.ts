// Generates the table of vendor presets in docs/configuration.md and its Chinese page.

import type { Language } from '../src/site/language.ts';
import type { KnownModel } from '../src/vendors/known-models.ts';
import { VENDOR_PRESETS, type VendorPreset } from '../src/vendors/presets.ts';

interface VendorsWords {
  columns: readonly string[];
  all: string;
  free: string;
  comma: string;
}

const WORDS: Record<Language, VendorsWords> = {
  en: {
    columns: ['vendor', '`kind`', '`base_url`', '`endpoints`', '`quirks`', 'models with a known price'],
    all: 'all of the kind',
    free: ' (free)',
    comma: ', ',
  },
  'zh-TW': {
    columns: ['供應商', '`kind`', '`base_url`', '`endpoints`', '`quirks`', '已知價格的模型'],
    all: '該種類的全部',
    free: '（免費）',
    comma: '、',
  },
};

export function vendorsTableMarkdown(language: Language): string {
  const words = WORDS[language];
  const rows = VENDOR_PRESETS.map((preset) => cellsOf(preset, words));
  const [head, ...body] = [words.columns, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [head, `|${'---|'.repeat(words.columns.length)}`, ...body].join('\n');
}

function cellsOf(preset: VendorPreset, words: VendorsWords): string[] {
  const { name, kind, baseUrl, addressExample = '', endpoints, quirks, models = [] } = preset;
  return [
    name,
    code(kind),
    code(baseUrl ?? addressExample),
    endpoints ? endpoints.map(code).join(words.comma) : words.all,
    quirks ? code(quirks) : '–',
    models.map((model) => modelOf(model, words)).join(words.comma) || '–',
  ];
}

function modelOf({ id, usd, isSecondHand }: KnownModel, words: VendorsWords): string {
  return code(id) + (isSecondHand ? '\\*' : '') + (usd === 'free' ? words.free : '');
}

function code(text: string): string {
  return `\`${text}\``;
}
