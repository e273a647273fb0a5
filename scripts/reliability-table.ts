// Generates the table of promises in docs/reliability.md and its Chinese page from the figures of the last runs.

import type { Language } from '../src/site/language.ts';
import { figureNameIn } from './figure-names.ts';
import type { RecordedRun } from './record-figures.ts';
import { PROMISES, RUNS, type RunName } from './reliability-promises.ts';

interface Words {
  head: readonly string[];
  notRecorded: string;
  colon: string;
  semicolon: string;
  comma: string;
  about(when: string, cores: number): string;
}

const WORDS: Record<Language, Words> = {
  en: {
    head: ['promise', 'how it is tested', 'latest figures'],
    notRecorded: 'not recorded',
    colon: ': ',
    semicolon: '; ',
    comma: ', ',
    about: (when, cores) => ` (${when}, ${cores} cores)`,
  },
  'zh-TW': {
    head: ['保證', '如何測試', '最近的數字'],
    notRecorded: '尚未記錄',
    colon: '：',
    semicolon: '；',
    comma: '，',
    about: (when, cores) => `（${when}，${cores} 核心）`,
  },
};

export type Figures = ReadonlyMap<string, RecordedRun>;

export function reliabilityTableMarkdown(language: Language, figures: Figures): string {
  for (const name of figures.keys()) {
    if (!Object.hasOwn(RUNS, name))
      throw new Error(`no promise in scripts/reliability-promises.ts shows the run ${name}`);
  }
  const rows = PROMISES.map(({ promise, method, run }) => [
    promise[language],
    method[language],
    run ? figuresCell(run, figures.get(run), language) : code(RUNS.suite),
  ]);
  const [head, ...body] = [WORDS[language].head, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [head, '|---|---|---|', ...body].join('\n');
}

function figuresCell(name: RunName, run: RecordedRun | undefined, language: Language): string {
  const words = WORDS[language];
  if (!run) return `${code(RUNS[name])}${words.colon}${words.notRecorded}`;
  const shown = Object.entries(run.figures).map(
    ([figure, value]) => `${figureNameIn(language, figure)}${words.colon}${value}`,
  );
  const when = [run.date, run.commit ?? []].flat().join(words.comma);
  return `${code(run.command)}${words.colon}${shown.join(words.semicolon)}${words.about(when, run.cores)}`;
}

function code(text: string): string {
  return `\`${text}\``;
}
