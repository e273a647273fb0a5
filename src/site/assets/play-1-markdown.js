// Markdown of an answer as elements. Text becomes text and nothing else: what looks like HTML is shown as it is written,
// and only links to web and mail addresses lead anywhere.

const element = (name, content, fields = {}) => {
  const made = Object.assign(document.createElement(name), fields);
  for (const part of [content].flat()) made.append(part);
  return made;
};

const INLINE =
  /`([^`\n]+)`|\*\*([^*\n](?:[^\n]*?[^*\n])?)\*\*|(?<![\w*])\*([^*\s](?:[^*\n]*[^*\s])?)\*(?![\w*])|\[([^[\]\n]*)\]\(([^()\s]+)\)|(https?:\/\/[^\s<>()"'`，。、；：！？」』）]*[^\s<>()"'`，。、；：！？」』）.,;:!?*])/;
const SAFE_LINK = /^(https?:\/\/|mailto:)/i;

const link = (href, content) => element('a', content, { href, target: '_blank', rel: 'noopener noreferrer nofollow' });

/** Code, bold, italic and links in a line. */
function inlineNodes(text) {
  const nodes = [];
  let rest = text;
  for (let found = INLINE.exec(rest); found; found = INLINE.exec(rest)) {
    nodes.push(rest.slice(0, found.index), inlineNode(found));
    rest = rest.slice(found.index + found[0].length);
  }
  return rest === '' ? nodes : [...nodes, rest];
}

function inlineNode([whole, code, bold, italic, label, target, address]) {
  if (code !== undefined) return element('code', code);
  if (bold !== undefined) return element('strong', inlineNodes(bold));
  if (italic !== undefined) return element('em', inlineNodes(italic));
  if (address !== undefined) return link(address, address);
  return SAFE_LINK.test(target) ? link(target, label) : whole;
}

const FENCE = /^\s*(```+|~~~+)\s*([\w+-]*)/;
const HEADING = /^(#{1,6})\s+(.*)$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

const lineNodes = (lines) =>
  lines.flatMap((line, index) => [...(index > 0 ? [element('br', [])] : []), ...inlineNodes(line)]);
const cellsOf = (line) =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim());

/** An answer may be nested without end. Deeper items stand at this level, deeper quotes stay text. */
const MAX_DEPTH = 12;

/** The items from `lines[from]` on that stand as far in, with what is below them. */
function takeList(lines, from, depth = 1) {
  const [, indent, mark] = ITEM.exec(lines[from]);
  const list = element(/\d/.test(mark) ? 'ol' : 'ul', [], /\d/.test(mark) ? { start: Number.parseInt(mark, 10) } : {});
  let at = from;
  while (at < lines.length) {
    const found = ITEM.exec(lines[at]);
    const isBelow = found && found[1].length > indent.length && list.lastChild;
    if (isBelow && depth < MAX_DEPTH) {
      const inner = takeList(lines, at, depth + 1);
      list.lastChild.append(inner.list);
      at = inner.next;
    } else if (isBelow || (found && found[1].length === indent.length && /\d/.test(found[2]) === /\d/.test(mark))) {
      list.append(element('li', inlineNodes(found[3])));
      at++;
    } else if (!found && lines[at].trim() !== '' && /^\s{2,}/.test(lines[at]) && list.lastChild) {
      list.lastChild.append(' ', ...inlineNodes(lines[at].trim()));
      at++;
    } else break;
  }
  return { list, next: at };
}

function markdownNodes(text, copyWords, depth = 1) {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const blocks = [];
  let at = 0;
  const takeWhile = (isPart) => {
    const from = at;
    while (at < lines.length && isPart(lines[at])) at++;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at];
    const [, fence] = FENCE.exec(line) ?? [];
    const [, marks, heading] = HEADING.exec(line) ?? [];
    if (line.trim() === '') at++;
    else if (fence) {
      at++;
      const code = takeWhile((one) => !one.trim().startsWith(fence));
      at++;
      const pre = element('pre', element('code', code.join('\n')), { tabIndex: 0 });
      blocks.push(element('div', [pre, copyButton(() => code.join('\n'), copyWords)], { className: 'copy' }));
    } else if (marks) {
      at++;
      // All on one level below that of the turn: an answer may leave levels out.
      blocks.push(element('h3', inlineNodes(heading)));
    } else if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) {
      at++;
      blocks.push(element('hr', []));
    } else if (ITEM.test(line)) {
      const { list, next } = takeList(lines, at);
      at = next;
      blocks.push(list);
    } else if (line.startsWith('>') && depth <= MAX_DEPTH) {
      const quoted = takeWhile((one) => one.startsWith('>')).map((one) => one.replace(/^>\s?/, ''));
      blocks.push(element('blockquote', markdownNodes(quoted.join('\n'), copyWords, depth + 1)));
    } else if (line.includes('|') && TABLE_RULE.test(lines[at + 1] ?? '') && lines[at + 1].includes('-')) {
      const [head, , ...rows] = takeWhile((one) => one.includes('|'));
      const rowOf = (row, name) =>
        element(
          'tr',
          cellsOf(row).map((cell) => element(name, inlineNodes(cell))),
        );
      const parts = [
        element('thead', rowOf(head, 'th')),
        element(
          'tbody',
          rows.map((row) => rowOf(row, 'td')),
        ),
      ];
      blocks.push(element('div', element('table', parts), { className: 'scroll', tabIndex: 0 }));
    } else {
      const isText = (one, index) =>
        one.trim() !== '' &&
        (index === 0 || !(FENCE.test(one) || HEADING.test(one) || ITEM.test(one) || one.startsWith('>')));
      const from = at;
      const part = takeWhile((one) => isText(one, at - from));
      blocks.push(element('p', lineNodes(part)));
    }
  }
  return blocks;
}

/** Copies what `textOf` gives. */
function copyButton(textOf, { label, done }) {
  const button = element('button', label, { type: 'button', className: 'quiet small' });
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(textOf());
    button.textContent = done;
    setTimeout(() => {
      button.textContent = label;
    }, 1500);
  });
  return button;
}

globalThis.playParts = { element, markdownNodes, copyButton };
