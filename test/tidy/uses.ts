// What may be used only in certain places, so that the rest can be tested without it.

import { importsOf, isRelative } from './imports.ts';
import { isBelowTheEdges } from './layers.ts';
import { type Reference, referencesOf } from './references.ts';
import type { Source } from './source.ts';

interface UseRule {
  what: string;
  paths: string[];
  /** Folders and files in src/; none means nowhere. */
  onlyIn: string[];
  /** Without it, both. */
  when?: 'called' | 'passed';
}

const USE_RULES: UseRule[] = [
  { what: 'console', paths: ['console'], onlyIn: [] },
  {
    what: 'the environment',
    paths: ['process.env', 'Bun.env', 'import.meta.env'],
    onlyIn: ['server/settings/settings.ts'],
  },
  { what: 'SQL', paths: ['Bun.sql', 'Bun.SQL', 'Bun.postgres'], onlyIn: ['store/'] },
  { what: 'fetch', paths: ['fetch', 'Bun.fetch'], onlyIn: ['channels/'], when: 'called' },
  { what: 'fetch', paths: ['fetch', 'Bun.fetch'], onlyIn: ['channels/', 'main.ts', 'cli.ts'], when: 'passed' },
];

const PAGE_ROOMS = ['http/', 'site/', 'admin/'];

const MODULE_RULES = [
  { what: 'Hono', module: /^hono(\/|$)/, onlyIn: PAGE_ROOMS },
  { what: 'a database driver', module: /^(bun:sqlite|node:sqlite|postgres|pg)$/, onlyIn: ['store/'] },
  { what: 'an HTTP client', module: /^((node:)?https?2?|undici)$/, onlyIn: ['channels/'] },
];

const CLOCK_AND_RANDOM = [
  'Date.now',
  'Date()',
  'new Date()',
  'Temporal.Now',
  'performance.now',
  'performance.timeOrigin',
  'process.hrtime',
  'process.uptime',
  'Bun.nanoseconds',
  'Bun.sleep',
  'Bun.sleepSync',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'AbortSignal.timeout',
  'scheduler',
  'Math.random',
  'crypto.getRandomValues',
  'crypto.randomUUID',
  'crypto.randomBytes',
  'crypto.randomInt',
  'crypto.randomFill',
  'crypto.randomFillSync',
  'Bun.randomUUIDv7',
];

export interface ClockException {
  path: string;
  uses: string[];
  reason: string;
}

export function findMisplacedUses(sources: Source[]): string[] {
  return sources.flatMap((source) =>
    referencesOf(source).flatMap((reference) =>
      USE_RULES.filter(({ when = howUsed(reference) }) => when === howUsed(reference))
        .filter(({ paths, onlyIn }) => isOneOf(reference, paths) && !isIn(source, onlyIn))
        .map(({ what, onlyIn }) => `${reference.place} uses ${what} (${reference.path}), ${allowed(onlyIn)}`),
    ),
  );
}

export function findMisplacedModules(sources: Source[]): string[] {
  const imports = sources.flatMap((source) =>
    importsOf(source).flatMap(({ specifier, place }) =>
      MODULE_RULES.filter(({ module, onlyIn }) => module.test(specifier) && !isIn(source, onlyIn)).map(
        ({ what, onlyIn }) => `${place} imports ${what} (${specifier}), ${allowed(onlyIn)}`,
      ),
    ),
  );
  const jsx = sources.filter((source) => source.path.endsWith('.tsx') && !isIn(source, PAGE_ROOMS));
  return [...imports, ...jsx.map(({ path }) => `${path} is JSX, which is Hono, ${allowed(PAGE_ROOMS)}`)];
}

/** Development packages are not there under `npm start`. */
export function findUndeclaredPackages(sources: Source[], dependencies: string[]): string[] {
  return sources.flatMap((source) =>
    importsOf(source)
      .filter(({ specifier }) => !isRelative(specifier) && !/^(node|bun):/.test(specifier))
      .filter(({ specifier }) => !dependencies.some((name) => specifier === name || specifier.startsWith(`${name}/`)))
      .map(({ specifier, place }) => `${place} imports ${specifier}, which is not a runtime dependency`),
  );
}

/** Below the edges, time and randomness are passed in; an exception that nothing needs any more must go. */
export function findClockUses(sources: Source[], exceptions: ClockException[]): string[] {
  const uses = sources
    .filter(({ path }) => isBelowTheEdges(path))
    .flatMap((source) =>
      referencesOf(source)
        .filter((reference) => isOneOf(reference, CLOCK_AND_RANDOM))
        .map((reference) => ({ source, reference })),
    );
  const permits = exceptions.flatMap(({ path, uses: names }) => names.map((name) => ({ path, name })));
  const forbidden = uses.filter(
    ({ source, reference }) => !permits.some(({ path, name }) => path === source.path && isOneOf(reference, [name])),
  );
  const unused = permits.filter(
    ({ path, name }) => !uses.some(({ source, reference }) => path === source.path && isOneOf(reference, [name])),
  );
  return [
    ...forbidden.map(({ reference }) => `${reference.place} uses ${reference.path} instead of what is passed in`),
    ...unused.map(({ path, name }) => `the exception for ${name} in ${path} is not needed`),
  ];
}

const howUsed = ({ called }: Reference) => (called ? 'called' : 'passed');

const isOneOf = ({ path }: Reference, names: string[]) =>
  names.some((name) => path === name || path.startsWith(`${name}.`));

const isIn = ({ path }: Source, places: string[]) =>
  places.some((place) => path === `src/${place}` || (place.endsWith('/') && path.startsWith(`src/${place}`)));

const allowed = (places: string[]) => (places.length === 0 ? 'allowed nowhere' : `allowed in ${places.join(', ')}`);
