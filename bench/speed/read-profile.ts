// Reads a CPU profile of V8 or Bun: per function its own time, with the runtime functions that it called, and with
// everything that it called. Samples are counted, not weighted by the time between them: Bun takes none while the thread
// waits, and the next one would be charged with the pause.

import { join, relative } from 'node:path';

interface ProfileNode {
  id: number;
  callFrame: { functionName: string; url: string; lineNumber: number };
  children?: number[];
}

interface Profile {
  nodes: ProfileNode[];
  samples: number[];
  timeDeltas: number[];
}

export interface Window {
  /** Time between the end of the measurement and the end of the profile. */
  untilEndMs: number;
  lengthMs: number;
}

interface Cost {
  self: number;
  /** Including the runtime's work for it: copying, sending, parsing. */
  own: number;
  total: number;
}

const ROOT = join(import.meta.dir, '..', '..');
const NOT_WORK = new Set(['(idle)', '(root)', '(program)']);

export function readProfile(text: string, window: Window, top: number): string {
  const profile = JSON.parse(text) as Profile;
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const costs = new Map<string, Cost>();
  const places = new Map<string, number>();
  let all = 0;
  for (const id of samplesIn(profile, window)) {
    const stack = stackOf(id, byId, parents);
    const [leaf] = stack;
    if (!leaf || NOT_WORK.has(leaf.callFrame.functionName)) continue;
    all++;
    const caller = stack.find((node) => isOurs(node)) ?? leaf;
    add(costs, nameOf(leaf)).self++;
    add(costs, nameOf(caller)).own++;
    places.set(folderOf(caller), (places.get(folderOf(caller)) ?? 0) + 1);
    // Once per sample, even if a function is in the stack several times.
    for (const name of new Set(stack.map(nameOf))) add(costs, name).total++;
  }
  const share = (count: number) => `${((count / all) * 100).toFixed(1)} %`.padStart(7);
  const line = ([name, { self, own, total }]: [string, Cost]) =>
    `${share(self)} ${share(own)} ${share(total)}  ${name}`;
  const list = (by: keyof Cost) =>
    [...costs]
      .filter(([name]) => !NOT_WORK.has(name))
      .sort(([, a], [, b]) => b[by] - a[by])
      .slice(0, top)
      .map(line);
  const head = '   self     own   total';
  return [
    `\n${all.toLocaleString('en')} samples of the main thread at work.`,
    'self: in the function itself; own: with the runtime’s functions that it called; total: with all it called.',
    `\nBy self time:\n${head}`,
    ...list('self'),
    `\nBy own time:\n${head}`,
    ...list('own'),
    `\nBy total time:\n${head}`,
    ...list('total'),
    '\nOwn time by place:',
    ...[...places]
      .filter(([, count]) => count / all > 0.001)
      .sort(([, a], [, b]) => b - a)
      .map(([at, count]) => `${share(count)}  ${at}`),
  ].join('\n');
}

function samplesIn({ samples, timeDeltas }: Profile, { untilEndMs, lengthMs }: Window): number[] {
  const lengthUs = timeDeltas.reduce((sum, us) => sum + us, 0);
  const to = lengthUs - untilEndMs * 1000;
  const from = to - lengthMs * 1000;
  let at = 0;
  return samples.flatMap((id, index) => {
    at += timeDeltas[index] ?? 0;
    return at > from && at <= to ? [id] : [];
  });
}

/** The innermost function first. */
function stackOf(id: number, byId: ReadonlyMap<number, ProfileNode>, parents: ReadonlyMap<number, number>) {
  const stack: ProfileNode[] = [];
  for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
    const node = byId.get(at);
    if (node) stack.push(node);
  }
  return stack;
}

function isOurs({ callFrame }: ProfileNode): boolean {
  return /^(src|node_modules)\//.test(placeOf(callFrame.url));
}

function add(costs: Map<string, Cost>, name: string): Cost {
  const cost = costs.get(name) ?? { self: 0, own: 0, total: 0 };
  costs.set(name, cost);
  return cost;
}

function nameOf({ callFrame }: ProfileNode): string {
  const place = placeOf(callFrame.url);
  return place ? `${callFrame.functionName} ${place}:${callFrame.lineNumber + 1}` : callFrame.functionName;
}

function folderOf({ callFrame }: ProfileNode): string {
  const place = placeOf(callFrame.url);
  if (!place) return 'the runtime';
  const [first = '', second = '', third = ''] = place.split('/');
  if (first === 'node_modules') return `${first}/${second}`;
  return first === 'src' && third ? `${first}/${second}` : place;
}

function placeOf(url: string): string {
  if (!url) return '';
  return url.startsWith('/') || url.startsWith('file:') ? relative(ROOT, url.replace(/^file:\/\//, '')) : url;
}
