import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAULTS } from '../../src/faults/table.ts';
import { renderMarkdown } from '../../src/site/markdown.ts';

test('every fault has its place on the page that faults point to', () => {
  const page = readFileSync(join(import.meta.dir, '..', '..', 'docs', 'errors.md'), 'utf8');
  const { html } = renderMarkdown(page);
  for (const code of Object.keys(FAULTS)) expect(html).toContain(`<a id="${code}"></a>`);
  expect(html).not.toContain('&lt;a');
});

test.each([
  '<script>alert(1)</script>',
  '<a id="x" onclick="alert(1)">x</a>',
  '<img src=x onerror=alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
])('other HTML is text: %s', (html) => {
  const rendered = renderMarkdown(`Words ${html} words.`).html;
  expect(rendered).not.toMatch(/<(script|img|a )/);
});

test('cells of a table with many columns say what their column is called', () => {
  const { html } = renderMarkdown('| `code` | when "x" | text |\n|---|---|---|\n| a | b | c |\n');
  expect(html).toContain('<td>a</td>\n<td data-label="when &quot;x&quot;">b</td>\n<td data-label="text">c</td>');
  expect(renderMarkdown('| code | text |\n|---|---|\n| a | b |\n').html).not.toContain('data-label');
});
