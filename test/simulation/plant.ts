// Plants a bug in a file of the service before it is loaded.

import { readFileSync } from 'node:fs';
import { BREAKAGES, MUTATIONS, type Mutation } from './mutations.ts';

const SOURCE = new URL('../../src/', import.meta.url).pathname;

export function findMutation(name: string): Mutation | undefined {
  return [...MUTATIONS, ...BREAKAGES].find((mutation) => mutation.name === name);
}

/** How often the source has the text that the mutation replaces: once, or the mutation is out of date. */
export function countPlaces({ file, from }: Mutation): number {
  return readFileSync(SOURCE + file, 'utf8').split(from).length - 1;
}

/** Returns whether the file has been loaded with the bug: false if something had loaded it before. */
export function plant(mutation: Mutation): () => boolean {
  const { file, from, to } = mutation;
  if (countPlaces(mutation) !== 1) throw new Error(`${file} must have this text once: ${from}`);
  const path = SOURCE + file;
  let isLoaded = false;
  Bun.plugin({
    name: 'a planted bug',
    setup(build) {
      build.onLoad({ filter: new RegExp(`${RegExp.escape(path)}$`) }, async () => {
        isLoaded = true;
        const text = await Bun.file(path).text();
        return { contents: text.replace(from, () => to), loader: 'ts' };
      });
    },
  });
  return () => isLoaded;
}
