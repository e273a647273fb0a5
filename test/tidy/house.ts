// The floors of the house: imports point down only, and rooms on one floor never import each other.
import { importsOf, isRelative, resolveImport } from './imports.ts';
import type { Source } from './source.ts';

/** Files directly in src/ live here. What is on this floor may import each other: it is what puts the rest together. */
const TOP_FLOOR = 5;

const FLOORS: Record<string, number> = {
  settings: TOP_FLOOR,
  start: TOP_FLOOR,
  ports: TOP_FLOOR,
  processes: TOP_FLOOR,
  http: 4,
  site: 4,
  commands: 4,
  operator: 4,
  jobs: 4,
  relay: 3,
  accounts: 3,
  publishing: 3,
  operating: 3,
  dialects: 2,
  channels: 2,
  catalog: 2,
  ledger: 2,
  limits: 2,
  keys: 2,
  cards: 2,
  usage: 2,
  store: 1,
  faults: 0,
  kit: 0,
};

/** Undefined for a room that is not in the table. */
export function floorOf(path: string): number | undefined {
  const room = roomOf(path);
  return room === undefined ? TOP_FLOOR : FLOORS[room];
}

export function findUnknownRooms(sources: Source[]): string[] {
  const rooms = new Set(sources.map(({ path }) => roomOf(path)));
  return [...rooms]
    .filter((room) => room !== undefined && FLOORS[room] === undefined)
    .map((room) => `src/${room}/ has no floor in the table of test/tidy/house.ts`);
}

export function findUpwardImports(sources: Source[]): string[] {
  return eachImport(sources).flatMap(({ from, to, place }) => {
    if (!to.startsWith('src/')) return to.endsWith('.json') ? [] : [`${place} imports ${to}, outside src/`];
    if (roomOf(from) === roomOf(to)) return [];
    const [lower, upper] = [floorOf(to), floorOf(from)];
    // A room without a floor is the finding of the guard above.
    if (lower === undefined || upper === undefined || lower < upper) return [];
    if (lower === TOP_FLOOR && upper === TOP_FLOOR) return [];
    return [`${place} imports ${to}, which is not on a lower floor`];
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
