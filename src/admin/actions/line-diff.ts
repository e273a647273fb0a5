// A line diff of two texts: the shortest one, unless finding it is too expensive.

export interface ChangedLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
  /** Line numbers from 1; null on the side without the line. */
  before: number | null;
  after: number | null;
}

/** Equal lines may be left out. */
export type DiffLine = ChangedLine | { kind: 'skipped'; count: number };

/** Texts with more changes are shown as one removed and one added block. */
const MAX_CHANGES = 1_000;

export function diffLines(before: string, after: string, context = 3): DiffLine[] {
  return fold(compare(linesOf(before), linesOf(after)), context);
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function compare(a: readonly string[], b: readonly string[]): ChangedLine[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const same = (text: string, before: number, after: number) => line('same', text, before + 1, after + 1);
  return [
    ...a.slice(0, head).map((text, index) => same(text, index, index)),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail), head),
    ...a.slice(a.length - tail).map((text, index) => same(text, a.length - tail + index, b.length - tail + index)),
  ];
}

/** Myers: `reach[k]` is the furthest position in `a` on diagonal k with the current number of changes. */
function middle(a: readonly string[], b: readonly string[], offset: number): ChangedLine[] {
  const removed = (x: number): ChangedLine => line('removed', a[x] ?? '', offset + x + 1, null);
  const added = (y: number): ChangedLine => line('added', b[y] ?? '', null, offset + y + 1);
  const trail: Map<number, number>[] = [];
  const reach = new Map<number, number>([[1, 0]]);
  const most = Math.min(a.length + b.length, MAX_CHANGES);
  for (let changes = 0; changes <= most; changes++) {
    trail.push(new Map(reach));
    for (let k = -changes; k <= changes; k += 2) {
      let x = goesDown(reach, k, changes) ? (reach.get(k + 1) ?? 0) : (reach.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reach.set(k, x);
      if (x >= a.length && x - k >= b.length) return walkBack();
    }
  }
  return [...a.map((_, x) => removed(x)), ...b.map((_, y) => added(y))];

  function walkBack(): ChangedLine[] {
    const lines: ChangedLine[] = [];
    let [x, y] = [a.length, b.length];
    for (let changes = trail.length - 1; changes >= 0; changes--) {
      const before = trail[changes] ?? new Map<number, number>();
      const k = x - y;
      const from = goesDown(before, k, changes) ? k + 1 : k - 1;
      const fromX = before.get(from) ?? 0;
      const fromY = fromX - from;
      while (x > fromX && y > fromY) {
        x--;
        y--;
        lines.push(line('same', a[x] ?? '', offset + x + 1, offset + y + 1));
      }
      if (changes === 0) break;
      lines.push(x === fromX ? added(fromY) : removed(fromX));
      [x, y] = [fromX, fromY];
    }
    return lines.reverse();
  }
}

function goesDown(reach: ReadonlyMap<number, number>, k: number, changes: number): boolean {
  return k === -changes || (k !== changes && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1));
}

function line(kind: ChangedLine['kind'], text: string, before: number | null, after: number | null): ChangedLine {
  return { kind, text, before, after };
}

/** Equal lines far from any change are left out. */
function fold(lines: readonly ChangedLine[], context: number): DiffLine[] {
  const isNear = nearChanges(lines, context);
  const folded: DiffLine[] = [];
  for (const [index, line] of lines.entries()) {
    const last = folded.at(-1);
    if (isNear[index]) folded.push(line);
    else if (last?.kind === 'skipped') last.count++;
    else folded.push({ kind: 'skipped', count: 1 });
  }
  return folded;
}

function nearChanges(lines: readonly ChangedLine[], context: number): boolean[] {
  const near = lines.map(() => false);
  lines.forEach(({ kind }, index) => {
    if (kind === 'same') return;
    const end = Math.min(lines.length - 1, index + context);
    for (let at = Math.max(0, index - context); at <= end; at++) near[at] = true;
  });
  return near;
}
