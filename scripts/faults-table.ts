// Generates the docs page of the fault table.

import { describedText, FAULT_CODES, faultRow } from '../src/faults/table.ts';

export function faultTableMarkdown(): string {
  const rows = FAULT_CODES.map((code) => {
    const row = faultRow(code);
    const status = row.anthropicStatus ? `${row.status} (${row.anthropicStatus})` : String(row.status);
    const retry = row.retryable ? 'yes' : 'no';
    return `| <a id="${code}"></a>\`${code}\` | ${status} | ${row.openaiType} | ${row.anthropicType} | ${retry} | ${describedText(row)} |`;
  });
  return [
    '| code | status (Anthropic dialect) | OpenAI `type` | Anthropic `type` | retry helps | text |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
