// Which names a file declares, and where they hold: what is left over is global.
import {
  isArrowFunction,
  isBindingElement,
  isBlock,
  isCaseBlock,
  isCatchClause,
  isClassDeclaration,
  isConstructorDeclaration,
  isForInStatement,
  isForOfStatement,
  isForStatement,
  isFunctionDeclaration,
  isFunctionExpression,
  isGetAccessorDeclaration,
  isIdentifier,
  isImportClause,
  isImportDeclaration,
  isImportSpecifier,
  isMethodDeclaration,
  isNamespaceImport,
  isParameterDeclaration,
  isSetAccessorDeclaration,
  isSourceFile,
  isStringLiteral,
  isVariableDeclaration,
  type Node,
} from 'typescript/unstable/ast';
import { type Source, walk } from './source.ts';

/** What a name stands for: `node:crypto.randomBytes` if imported, undefined if declared here. */
type Meaning = string | undefined;
export type Scopes = Map<Node, Map<string, Meaning>>;

const SCOPES = [
  isSourceFile,
  isBlock,
  isCaseBlock,
  isCatchClause,
  isForStatement,
  isForInStatement,
  isForOfStatement,
  isFunctionDeclaration,
  isFunctionExpression,
  isArrowFunction,
  isMethodDeclaration,
  isConstructorDeclaration,
  isGetAccessorDeclaration,
  isSetAccessorDeclaration,
];

const DECLARATIONS = [
  isVariableDeclaration,
  isParameterDeclaration,
  isBindingElement,
  isFunctionDeclaration,
  isClassDeclaration,
];

export function scopesOf(source: Source): Scopes {
  const scopes: Scopes = new Map();
  const declare = (name: Node | undefined, from: Node, meaning?: Meaning) => {
    if (!name || !isIdentifier(name)) return;
    const scope = enclosingScope(from);
    const names = scopes.get(scope) ?? new Map<string, Meaning>();
    scopes.set(scope, names.set(name.text, meaning));
  };
  walk(source.tree, (node) => {
    for (const isDeclaration of DECLARATIONS) if (isDeclaration(node)) declare(node.name, node.parent);
    if (isImportSpecifier(node)) {
      declare(node.name, node, `${moduleOf(node)}.${(node.propertyName ?? node.name).text}`);
    }
    if (isImportClause(node) || isNamespaceImport(node)) declare(node.name, node, moduleOf(node));
  });
  return scopes;
}

/** Undefined for a name that is declared in the file; a global name stands for itself. */
export function meaningOf(name: string, at: Node, scopes: Scopes): Meaning {
  for (let node: Node | undefined = at; node; node = node.parent) {
    const names = scopes.get(node);
    if (names?.has(name)) return names.get(name);
  }
  return name;
}

function enclosingScope(node: Node): Node {
  let scope = node;
  while (!SCOPES.some((isScope) => isScope(scope))) scope = scope.parent;
  return scope;
}

function moduleOf(node: Node): string {
  let declaration = node;
  while (!isImportDeclaration(declaration)) declaration = declaration.parent;
  return isStringLiteral(declaration.moduleSpecifier) ? declaration.moduleSpecifier.text : '';
}
