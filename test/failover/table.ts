// The table of docs/reliability.md and its Chinese page, from what the bench has seen.

import type { Language } from '../../src/site/language.ts';
import type { Run } from './bench.ts';
import { FORMS, type Form, type Outcome, SETUPS, type Setup } from './cells.ts';
import type { ProviderFault } from './faults.ts';

export interface FaultRuns {
  fault: ProviderFault;
  runs: readonly Run[];
}

interface Words {
  head: readonly string[];
  forms: Record<Form, string>;
  rescued: string;
  brokenOff: string;
  empty: string;
  atOnce: string;
  underOneSecond: string;
  seconds(count: number): string;
  paused(time: string): string;
  comma: string;
  colon: string;
  of(text: string, formats: readonly string[]): string;
  semicolon: string;
}

const SECOND_MS = 1_000;

const WORDS: Record<Language, Words> = {
  en: {
    head: ['the provider', 'second route', 'fallback on another channel', 'fallback on the same channel'],
    forms: { stream: 'streamed', whole: 'not streamed' },
    rescued: 'rescued',
    brokenOff: 'ends with `upstream_failed`',
    empty: 'passed on, free',
    atOnce: 'at once',
    underOneSecond: 'under 1 s',
    seconds: (count) => `${count} s`,
    paused: (time) => `then a pause of ${time}`,
    comma: ', ',
    colon: ': ',
    of: (text, formats) => `${text} (${formats.join(', ')})`,
    semicolon: '; ',
  },
  'zh-TW': {
    head: ['供應商', '第二條路由', '其他線路上的備援模型', '同一線路上的備援模型'],
    forms: { stream: '串流', whole: '非串流' },
    rescued: '已救援',
    brokenOff: '以 `upstream_failed` 結束',
    empty: '原樣送出，不收費',
    atOnce: '立即',
    underOneSecond: '不到 1 秒',
    seconds: (count) => `${count} 秒`,
    paused: (time) => `之後停頓 ${time}`,
    comma: '，',
    colon: '：',
    of: (text, formats) => `${text}（${formats.join('、')}）`,
    semicolon: '；',
  },
};

export function failoverTableMarkdown(results: readonly FaultRuns[], language: Language): string {
  const words = WORDS[language];
  const rows = results.map((result) => [
    language === 'en' ? result.fault.name : result.fault.zhTw,
    ...SETUPS.map((setup) => describeSetup(result, setup, words)),
  ]);
  const [head, ...body] = [words.head, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [head, '|---|---|---|---|', ...body].join('\n');
}

/** What all formats and forms share is said once. */
function describeSetup({ fault, runs }: FaultRuns, setup: Setup, words: Words): string {
  const said = FORMS.map((form) => {
    const own = runs.filter(({ cell }) => cell.setup === setup && cell.form === form);
    return {
      form,
      text: shareText(
        own.map((run) => ({ name: run.cell.client.name, text: describe(fault, run, words) })),
        words,
      ),
    };
  });
  if (new Set(said.map(({ text }) => text)).size === 1) return said[0]?.text ?? '';
  return said.map(({ form, text }) => `${words.forms[form]}${words.colon}${text}`).join(words.semicolon);
}

function shareText(said: readonly { name: string; text: string }[], words: Words): string {
  const byText = Map.groupBy(said, ({ text }) => text);
  if (byText.size === 1) return said[0]?.text ?? '';
  const each = Array.from(byText, ([text, those]) => {
    const formats = those.map(({ name }) => name);
    return words.of(text, formats);
  });
  return each.join(words.comma);
}

function describe(fault: ProviderFault, run: Run, words: Words): string {
  const { begunMs = 0, endedMs = 0 } = run.calls.at(-1) ?? {};
  const parts = [nameOutcome(fault.expect(run.cell), words), describeTime(begunMs, words)];
  if (endedMs - begunMs >= SECOND_MS) parts.push(words.paused(describeTime(endedMs - begunMs, words)));
  return parts.join(words.comma);
}

function nameOutcome(outcome: Outcome, words: Words): string {
  if (typeof outcome === 'object') return `\`${outcome.code}\``;
  if (outcome === 'broken') return words.brokenOff;
  return outcome === 'empty' ? words.empty : words.rescued;
}

/** A pause before a repeated try differs each time, and is shorter than a second. */
function describeTime(ms: number, words: Words): string {
  if (ms === 0) return words.atOnce;
  return ms < SECOND_MS ? words.underOneSecond : words.seconds(Math.round(ms / SECOND_MS));
}
