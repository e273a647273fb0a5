// Colours for code on pages: comments, texts and the words of a language. Whatever is not known stays as it is.

const KEYWORDS: Readonly<Record<string, string>> = {
  sh: 'export|unset|if|then|else|fi|for|in|do|done|while|case|esac|function',
  js: 'import|from|export|const|let|await|async|function|return|new|for|of|in|if|else|while|try|catch|throw|null|true|false|undefined',
  python: 'import|from|def|return|for|in|if|elif|else|while|with|as|try|except|raise|class|print|None|True|False',
  json: 'true|false|null',
};
const NAMES: Readonly<Record<string, string>> = {
  bash: 'sh',
  ts: 'js',
  typescript: 'js',
  javascript: 'js',
  py: 'python',
};
const COMMENTS: Readonly<Record<string, string>> = { sh: '(?<!\\S)#.*', python: '#.*', js: '\\/\\/.*', json: '(?!)' };
const TEXT = '"(?:[^"\\\\\\n]|\\\\.)*"|\'(?:[^\'\\\\\\n]|\\\\.)*\'';

/** As HTML; of a language that is not known the code alone. */
export function highlight(code: string, language: string | undefined): string {
  const name = NAMES[language ?? ''] ?? language ?? '';
  const keywords = KEYWORDS[name];
  const comments = COMMENTS[name];
  if (keywords === undefined || comments === undefined) return Bun.escapeHTML(code);
  const pattern = new RegExp(`(${TEXT})|(${comments})|(?<![\\w$-])(${keywords})(?![\\w-])`, 'g');
  let html = '';
  let from = 0;
  for (const found of code.matchAll(pattern)) {
    const [whole, text, comment] = found;
    const look = text !== undefined ? 'text' : comment !== undefined ? 'comment' : 'word';
    html += `${Bun.escapeHTML(code.slice(from, found.index))}<span class="code-${look}">${Bun.escapeHTML(whole)}</span>`;
    from = found.index + whole.length;
  }
  return html + Bun.escapeHTML(code.slice(from));
}
