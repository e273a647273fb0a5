// What a file imports: statically, dynamically, as a type, or as the script of a worker.
import { posix } from 'node:path';
import {
  isCallExpression,
  isExportDeclaration,
  isIdentifier,
  isImportDeclaration,
  isImportTypeNode,
  isLiteralTypeNode,
  isNewExpression,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { placeOf, type Source, stringOf, walk } from './source.ts';

export interface Import {
  specifier: string;
  place: string;
}

export function importsOf(source: Source): Import[] {
  const imports: Import[] = [];
  walk(source.tree, (node) => {
    const specifier = specifierOf(node);
    if (specifier !== undefined) imports.push({ specifier, place: placeOf(source, node) });
  });
  return imports;
}

export const isRelative = (specifier: string) => /^\.{1,2}(\/|$)/.test(specifier);

/** The path that a relative specifier means; the file itself need not exist. */
export function resolveImport(from: Source, specifier: string, known: ReadonlySet<string>): string {
  const path = posix.join(posix.dirname(from.path), specifier);
  const spellings = [path, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`, `${path}/index.tsx`];
  return spellings.find((spelling) => known.has(spelling)) ?? path;
}

function specifierOf(node: Node): string | undefined {
  if (isImportDeclaration(node) || isExportDeclaration(node)) return stringOf(node.moduleSpecifier);
  if (isImportTypeNode(node)) return isLiteralTypeNode(node.argument) ? stringOf(node.argument.literal) : undefined;
  if (isCallExpression(node) && loadsModule(node.expression)) return stringOf(node.arguments[0]);
  // `new Worker(new URL('./writer.ts', import.meta.url))`, but not `new URL('../data', base)`
  if (isNewExpression(node) && isIdentifier(node.expression) && node.expression.text === 'URL') {
    const path = stringOf(node.arguments?.[0]);
    return path !== undefined && isRelative(path) && /\.tsx?$/.test(path) ? path : undefined;
  }
  return undefined;
}

const loadsModule = (callee: Node) =>
  callee.kind === SyntaxKind.ImportKeyword || (isIdentifier(callee) && callee.text === 'require');
