// The line of a document's text that a fault is about, for those who edit the text.

import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';

/**
 * `path` as faults have it: `models[3].price.output`, or `line 7`. What is missing belongs where its table begins. Undefined
 * for the whole document.
 */
export function lineFinder(text: string): (path: string) => number | undefined {
  const lines = new LineCounter();
  const { contents } = parseDocument(text, { lineCounter: lines });
  return (path) => {
    const named = /^line (\d+)$/.exec(path)?.[1];
    if (named !== undefined) return Number(named);
    let node: unknown = contents;
    let offset: number | undefined;
    for (const part of path.split(/[.[\]]+/).filter((part) => part !== '')) {
      const found = childOf(node, part);
      if (!found) break;
      node = found.node;
      offset = found.offset ?? offset;
    }
    return offset === undefined ? undefined : lines.linePos(offset).line;
  };
}

interface Child {
  node: unknown;
  offset: number | undefined;
}

function childOf(node: unknown, part: string): Child | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(part)];
    return item === undefined ? undefined : { node: item, offset: startOf(item) };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === part);
  return pair && { node: pair.value, offset: startOf(pair.key) };
}

/** A table begins with its first name. */
function startOf(node: unknown): number | undefined {
  if (isScalar(node)) return node.range?.[0];
  return isMap(node) ? startOf(node.items[0]?.key) : undefined;
}
