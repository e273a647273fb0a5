// The table of quirks in docs/translation.md, generated so that it cannot drift.

import { QUIRKS_NAMES, type Quirks, quirksOf } from '../src/kit/quirks.ts';

const SYSTEM_ROLES: Record<Quirks['midSystem'], string> = {
  system: '`system`',
  developer: '`developer`',
  fold: "the user's text",
};

export function quirksTableMarkdown(): string {
  const rows = [undefined, ...QUIRKS_NAMES].map((name) => {
    const quirks = quirksOf(name);
    const cells = [
      name === undefined ? 'none' : `\`${name}\``,
      `\`${quirks.limitField}\``,
      SYSTEM_ROLES[quirks.midSystem],
      yesNo(quirks.takesEffort),
      reasoningOf(quirks),
      quirks.takesSchema ? 'by its schema' : 'told in words',
      yesNo(quirks.takesFiles),
      othersOf(quirks).join('; ') || '–',
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    '| `quirks` | output bound | a system message in the middle is | takes effort | reasoning goes back as | JSON answers | files and sound | besides |',
    '|---|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function reasoningOf({ reasoningField, takesDetails }: Quirks): string {
  const names = [...(takesDetails ? ['reasoning_details'] : []), ...(reasoningField ? [reasoningField] : [])];
  return names.map((name) => `\`${name}\``).join(', else ') || 'not at all';
}

function othersOf(quirks: Quirks) {
  const { auth, callIds, needsThoughts, countsReasoningApart, countsCacheHits, takesParallelFlag, refuses } = quirks;
  return [
    ...(auth === 'api-key' ? ['our key goes as `api-key`'] : []),
    ...(callIds === 'nine' ? ['ids of calls have nine letters and digits'] : []),
    ...(callIds === 'forty' ? ['ids of calls have at most 40 characters'] : []),
    ...(needsThoughts ? ["given the words of any model's reasoning"] : []),
    ...(countsReasoningApart ? ['reasoning is counted beside the completion'] : []),
    ...(countsCacheHits ? ['cached input is told as `prompt_cache_hit_tokens`'] : []),
    ...(takesParallelFlag ? [] : ['no `parallel_tool_calls`']),
    ...(refuses.length > 0 ? [`not given ${refuses.map((name) => `\`${name}\``).join(', ')}`] : []),
  ];
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}
