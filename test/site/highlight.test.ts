// Colours of code: what is shown is the code itself, and nothing of it is HTML.

import { expect, test } from 'bun:test';
import { highlight } from '../../src/site/markdown.ts';

test('marks texts, comments and words, and leaves those inside a text alone', () => {
  expect(highlight('export KEY="a # b" # why', 'sh')).toBe(
    '<span class="code-word">export</span> KEY=<span class="code-text">&quot;a # b&quot;</span> <span class="code-comment"># why</span>',
  );
  expect(highlight('{"a": true}', 'json')).toBe(
    '{<span class="code-text">&quot;a&quot;</span>: <span class="code-word">true</span>}',
  );
});

test.each(['sh', 'ts', 'python', 'json', 'yaml', undefined])('shows code of %s as it is written', (language) => {
  const code = 'const a = "<i>"; // </code>\n# it\'s "open\nimport x\\\n';
  const html = highlight(code, language);
  expect(html.replace(/<\/?span[^>]*>/g, '')).toBe(Bun.escapeHTML(code));
});
