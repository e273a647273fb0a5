// S30: few packages at run time, each at one exact version, and a lockfile that holds them to what was looked at.

import { expect, test } from 'bun:test';
import { readLockfile, readManifest } from '../tidy/read.ts';

const manifest = readManifest();
const { packages } = readLockfile() as { packages: Record<string, Locked> };

interface Locked {
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
  dev?: boolean;
  devOptional?: boolean;
  hasInstallScript?: boolean;
  dependencies?: Record<string, string>;
}

const MOST = 8;
/** The types of the MCP server's package, of the same release. */
const OF_MCP = '@modelcontextprotocol/core';

test('S30 few packages are needed at run time, each pinned exactly, and locked to the same version', () => {
  const wanted = Object.entries(manifest.dependencies);
  expect(wanted.length).toBeLessThanOrEqual(MOST);
  for (const [name, version] of wanted) {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(packages[`node_modules/${name}`]?.version).toBe(version);
  }
  for (const version of Object.values(manifest.devDependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
});

test('S30 what they bring along is nothing but builds of the runtime, and a part of the MCP server’s package', () => {
  const atRunTime = Object.entries(packages).filter(
    ([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional,
  );
  const others = atRunTime
    .map(([path]) => path.replace('node_modules/', ''))
    .filter((name) => !Object.hasOwn(manifest.dependencies, name) && !name.startsWith('@oven/bun-'));
  expect(others).toEqual([OF_MCP]);
  const { version } = packages[`node_modules/${OF_MCP}`] ?? {};
  expect(version).toBe(manifest.dependencies['@modelcontextprotocol/server']);
});

test('S30 every package that serves is locked by its hash, and none is tied to a host', () => {
  for (const [path, { integrity, resolved, version, dev }] of Object.entries(packages)) {
    if (path === '') continue;
    expect({ path, version }).toEqual({ path, version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    // Tools of the tests may have builds for other machines that nobody here could look at.
    if (!dev) expect({ path, integrity }).toEqual({ path, integrity: expect.stringMatching(/^sha512-/) });
    expect(resolved ?? '').not.toContain('://');
  }
});
