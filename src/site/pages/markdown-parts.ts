// Pieces of the Markdown that programs get instead of a page.

export function paragraphs(...parts: string[]): string {
  const written = parts.map((part) => part.trim()).filter((part) => part !== '');
  return `${written.join('\n\n')}\n`;
}

export function codeBlock(code: string, syntax = 'sh'): string {
  return `\`\`\`${syntax}\n${code}\n\`\`\``;
}

export function markdownTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}
