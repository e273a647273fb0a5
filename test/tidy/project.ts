// What no linter looks at: pinned packages, a lockfile that names no host, files that name no machine, and comments that
// silence the type checker.

/** Text by path from the project's root, such as `src/kit/money.ts`. */
export type Files = ReadonlyMap<string, string>;

export interface Manifest {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

interface LockedPackage {
  resolved?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

export interface Lockfile {
  packages: Record<string, LockedPackage>;
}

const RUNTIME_DEPENDENCIES = [
  '@modelcontextprotocol/server',
  'aws4fetch',
  'bun',
  'hono',
  'marked',
  'uqr',
  'yaml',
  'zod',
];

// In pieces, so that this file does not hold what it looks for.
const FOLDERS_OF_A_MACHINE = ['work', 'root', String.raw`home/[\w.-]+`, String.raw`Users/[\w.-]+`].join('|');
const MACHINE_PATH = new RegExp(String.raw`(?<![\w.~}-])/(${FOLDERS_OF_A_MACHINE})/`);
const REGISTRY = new RegExp(`https?:${'//'}registry${'\\.'}|registry${'\\.'}(npmjs|yarnpkg|npmmirror)`);

export function findLoosePins({ dependencies, devDependencies }: Manifest): string[] {
  return Object.entries({ ...dependencies, ...devDependencies })
    .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    .map(([name, version]) => `package.json: ${name} "${version}" is not an exact version`);
}

export function findNewDependencies({ dependencies }: Manifest): string[] {
  const names = Object.keys(dependencies);
  const added = names.filter((name) => !RUNTIME_DEPENDENCIES.includes(name));
  const gone = RUNTIME_DEPENDENCIES.filter((name) => !names.includes(name));
  return [
    ...added.map(
      (name) => `package.json: ${name} is new at run time. Is it worth its upkeep? Then say so in docs/decisions/`,
    ),
    ...gone.map((name) => `package.json: ${name} is gone; take it from the list in test/tidy/project.ts too`),
  ];
}

export function findLockedHosts({ packages }: Lockfile): string[] {
  return Object.entries(packages)
    .filter(([, { resolved }]) => resolved?.includes('://'))
    .map(([path, { resolved }]) => `package-lock.json: ${path} is tied to ${resolved}`);
}

/** `npm ci` refuses a lockfile with a hole, be it only the binary of another platform: then no fresh clone can start. */
export function findLockfileHoles({ packages }: Lockfile): string[] {
  const locked = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
  return Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !locked.has(name))
      .map((name) => `package-lock.json: ${path} needs ${name}, which is not there`),
  );
}

export function findMachineTraces(files: Files): string[] {
  return [...files]
    .filter(([, text]) => !text.includes('\0'))
    .flatMap(([path, text]) =>
      text.split('\n').flatMap((line, index) => {
        const trace = MACHINE_PATH.exec(line) ?? REGISTRY.exec(line);
        return trace ? [`${path}:${index + 1} names a place that others do not have: ${trace[0]}`] : [];
      }),
    );
}

/** Biome refuses `@ts-expect-error` only; the other two need not be in src either. */
export function findSuppressions(files: Files): string[] {
  return [...files].flatMap(([path, text]) =>
    [...text.matchAll(/@ts-(ignore|expect-error|nocheck)\b/g)].map(
      ([directive]) => `${path}: ${directive} silences the type checker`,
    ),
  );
}
