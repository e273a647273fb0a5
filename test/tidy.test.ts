// Guards what would rot unseen and no linter looks at; biome.json and scripts/lint keep the rest. Each guard must find nothing
// in the project, and must find its bad examples.
import { describe, expect, test } from 'bun:test';
import {
  findLockedHosts,
  findLockfileHoles,
  findLoosePins,
  findMachineTraces,
  findNewDependencies,
  findSuppressions,
} from './tidy/project.ts';
import { readLockfile, readManifest, readProject } from './tidy/read.ts';

const project = readProject();
const manifest = readManifest();

function cleanInProject(find: () => string[]) {
  test('the project is clean', () => expect(find()).toEqual([]));
}

describe('packages are pinned and few', () => {
  const clean = {
    dependencies: {
      '@modelcontextprotocol/server': '1.0.0',
      aws4fetch: '1.0.0',
      bun: '1.0.0',
      hono: '1.0.0',
      marked: '1.0.0',
      uqr: '1.0.0',
      yaml: '1.0.0',
      zod: '1.0.0',
    },
    devDependencies: {},
  };
  cleanInProject(() => [...findLoosePins(manifest), ...findNewDependencies(manifest)]);

  test.each(['^1.2.3', '~1.2.3', '1.x', '*', 'latest', 'github:a/b', '>=1.2.3'])(
    'finds the loose version %s',
    (version) => {
      expect(findLoosePins({ ...clean, devDependencies: { some: version } })).toHaveLength(1);
    },
  );
  test('accepts exact versions', () => {
    expect(findLoosePins({ ...clean, devDependencies: { some: '1.2.3-rc.1' } })).toEqual([]);
  });
  test('finds a new and a removed dependency', () => {
    const { zod: _, ...others } = clean.dependencies;
    const found = findNewDependencies({ ...clean, dependencies: { ...others, lodash: '1.0.0' } });
    expect(found).toHaveLength(2);
    expect(found[0]).toContain('lodash');
    expect(found[1]).toContain('zod');
  });
});

describe('the lockfile is whole', () => {
  cleanInProject(() => findLockfileHoles(readLockfile()));
  test('finds a missing package', () => {
    const packages = {
      '': { dependencies: { a: '1.0.0' } },
      'node_modules/a': {
        dependencies: { b: '^1.0.0' },
        optionalDependencies: { '@a/linux': '1.0.0', '@a/mac': '1.0.0' },
      },
      'node_modules/a/node_modules/b': {},
      'node_modules/@a/linux': {},
    };
    expect(findLockfileHoles({ packages })).toEqual([
      'package-lock.json: node_modules/a needs @a/mac, which is not there',
    ]);
  });
});

describe('the lockfile names no host', () => {
  cleanInProject(() => findLockedHosts(readLockfile()));
  test('finds a resolved address', () => {
    const resolved = 'https://packages.example/zod.tgz';
    expect(findLockedHosts({ packages: { '': {}, 'node_modules/zod': { resolved } } })).toEqual([
      `package-lock.json: node_modules/zod is tied to ${resolved}`,
    ]);
  });
});

describe('files name nothing of one machine', () => {
  cleanInProject(() => findMachineTraces(project));
  // Joined here, because this file is looked through too.
  const bad = [
    ['cd ', 'work/main'],
    ['file://', 'root/.npm'],
    ["'", "home/someone/project'"],
    ['(', 'Users/someone/project)'],
  ].map((pieces) => pieces.join('/'));
  const registries = ['https://registry', 'http://registry'].map((host) => `${host}.example.org/zod`);
  test.each([...bad, ...registries])('finds %s', (text) => {
    expect(findMachineTraces(new Map([['docs/a.md', `fine\n${text}`]]))).toHaveLength(1);
  });
  test.each(['example.com/work/at', './root/folder', '/homepage/of/us', 'registry.register(name)', '/var/lib/gateway'])(
    'accepts %s',
    (text) => expect(findMachineTraces(new Map([['docs/a.md', text]]))).toEqual([]),
  );
});

describe('the type checker is not silenced', () => {
  cleanInProject(() => findSuppressions(new Map([...project].filter(([path]) => /^src\/.*\.tsx?$/.test(path)))));
  test.each(['// @ts-ignore', '/* @ts-expect-error */', '// @ts-nocheck'])('finds %s', (comment) => {
    expect(findSuppressions(new Map([['src/kit/a.ts', `const a = 1;\n${comment}`]]))).toHaveLength(1);
  });
});
