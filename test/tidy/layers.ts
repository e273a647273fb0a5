// The layers of the source: a room imports only rooms of lower layers. Rooms of one layer do not import each other.
import { importsOf, isRelative, resolveImport } from './imports.ts';
import type { Source } from './source.ts';

/** From the lowest. Files directly in src/ are on the top layer, too. */
const LAYERS: readonly (readonly string[])[] = [
  ['kit', 'faults'],
  ['vendors'],
  ['store'],
  ['dialects', 'channels', 'ledger', 'limits'],
  ['catalog'],
  ['accounts'],
  ['relay'],
  ['http', 'site'],
  ['admin'],
  ['server'],
];
const TOP_LAYER = LAYERS.length - 1;
const EDGES = LAYERS.findIndex((rooms) => rooms.includes('http'));

/** Undefined for a room that is not in the table. */
function layerOf(path: string): number | undefined {
  const room = roomOf(path);
  if (room === undefined) return TOP_LAYER;
  const layer = LAYERS.findIndex((rooms) => rooms.includes(room));
  return layer < 0 ? undefined : layer;
}

/** Rooms below the edges, which are given the time and randomness they use. */
export const isBelowTheEdges = (path: string) => (layerOf(path) ?? 0) < EDGES;

export function findUnknownRooms(sources: Source[]): string[] {
  const unknown = sources.filter(({ path }) => layerOf(path) === undefined).map(({ path }) => roomOf(path));
  return [...new Set(unknown)].map((room) => `src/${room}/ is missing in the layers of test/tidy/layers.ts`);
}

export function findUpwardImports(sources: Source[]): string[] {
  return eachImport(sources).flatMap(({ from, to, place }) => {
    if (!to.startsWith('src/')) return to.endsWith('.json') ? [] : [`${place} imports ${to}, outside src/`];
    if (roomOf(from) === roomOf(to)) return [];
    const [lower, upper] = [layerOf(to), layerOf(from)];
    // A room without a layer is the finding of the guard above.
    if (lower === undefined || upper === undefined || lower < upper) return [];
    if (lower === TOP_LAYER && upper === TOP_LAYER) return [];
    return [`${place} imports ${to}, which is not on a lower layer`];
  });
}

export function findCycles(sources: Source[]): string[] {
  const imports = Map.groupBy(eachImport(sources), ({ from }) => from);
  const cycles: string[] = [];
  const finished = new Set<string>();
  const visit = (path: string, trail: string[]) => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
    if (trail.includes(path) || finished.has(path)) return;
    for (const { to } of imports.get(path) ?? []) visit(to, [...trail, path]);
    finished.add(path);
  };
  for (const { path } of sources) visit(path, []);
  return cycles;
}

function eachImport(sources: Source[]): { from: string; to: string; place: string }[] {
  const known = new Set(sources.map(({ path }) => path));
  return sources.flatMap((source) =>
    importsOf(source)
      .filter(({ specifier }) => isRelative(specifier))
      .map(({ specifier, place }) => ({ from: source.path, to: resolveImport(source, specifier, known), place })),
  );
}

function roomOf(path: string): string | undefined {
  const [, room, ...rest] = path.split('/');
  return rest.length > 0 ? room : undefined;
}
