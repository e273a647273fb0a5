// Source files as syntax trees, from TypeScript's own parser: comments, strings and JSX text cannot be mistaken for code.
// Its API is still named "unstable", so only this file starts it.

import { isNoSubstitutionTemplateLiteral, isStringLiteral, type Node, type SourceFile } from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/async';
import { createVirtualFileSystem } from 'typescript/unstable/fs';

/** Text by path from the project's root, such as `src/kit/money.ts`. */
export type Files = ReadonlyMap<string, string>;

export interface Source {
  path: string;
  text: string;
  tree: SourceFile;
}

const ROOT = '/tidy';
const PROJECT = `${ROOT}/tsconfig.json`;

export async function parse(files: Files): Promise<Source[]> {
  const scripts = [...files].filter(([path]) => /\.tsx?$/.test(path));
  if (scripts.length === 0) return [];
  const config = {
    compilerOptions: { noLib: true, noResolve: true, types: [], jsx: 'preserve' },
    files: scripts.map(([path]) => path),
  };
  const fs = createVirtualFileSystem({
    [PROJECT]: JSON.stringify(config),
    ...Object.fromEntries(scripts.map(([path, text]) => [`${ROOT}/${path}`, text])),
  });
  const api = new API({ cwd: ROOT, fs });
  try {
    const snapshot = await api.updateSnapshot({ openProject: PROJECT });
    const program = snapshot.getProject(PROJECT)?.program;
    return await Promise.all(
      scripts.map(async ([path, text]) => {
        const tree = await program?.getSourceFile(`${ROOT}/${path}`);
        if (!tree) throw new Error(`TypeScript did not parse ${path}`);
        return { path, text, tree };
      }),
    );
  } finally {
    await api.close();
  }
}

/** Calls `visit` on every node below `node`, except an opaque one and what is below it. */
export function walk(node: Node, visit: (node: Node) => void, isOpaque: (node: Node) => boolean = () => false): void {
  node.forEachChild((child) => {
    if (isOpaque(child)) return;
    visit(child);
    walk(child, visit, isOpaque);
  });
}

/** The text of a string without placeholders. */
export const stringOf = (node: Node | undefined) =>
  node && (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) ? node.text : undefined;

/** `src/kit/money.ts:12`, as editors and terminals link it. */
export function placeOf(source: Source, position: number | Node): string {
  const offset = typeof position === 'number' ? position : position.getStart(source.tree);
  return `${source.path}:${source.text.slice(0, offset).split('\n').length}`;
}
