// Every use of a global or imported value, as the dotted path it is known by: `process.env.PORT`, `crypto.randomBytes`,
// `new Date()`. The same path comes out whether the value was imported, destructured or reached through `globalThis`.
import {
  isBindingElement,
  isCallExpression,
  isElementAccessExpression,
  isExportSpecifier,
  isIdentifier,
  isImportDeclaration,
  isMetaProperty,
  isNewExpression,
  isObjectBindingPattern,
  isPropertyAccessExpression,
  isShorthandPropertyAssignment,
  isTypeNode,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { meaningOf, type Scopes, scopesOf } from './scopes.ts';
import { placeOf, type Source, stringOf, walk } from './source.ts';

export interface Reference {
  path: string;
  place: string;
  called: boolean;
}

// Modules whose exports are the globals of the same name.
const MODULES_OF_GLOBALS: [RegExp, string][] = [
  [/^(node:)?(timers(\/promises)?|perf_hooks)\./, ''],
  [/^(node:)?(process|crypto|console)(?=\.|$)/, '$2'],
  [/^bun(?=\.|$)/, 'Bun'],
];

export function referencesOf(source: Source): Reference[] {
  const scopes = scopesOf(source);
  const references: Reference[] = [];
  const visit = (node: Node) => {
    const base = baseOf(node, scopes);
    if (base === undefined) return;
    const { path, end } = followProperties(base, node);
    for (const use of usesOf(nameOf(path), end)) {
      references.push({ ...use, place: placeOf(source, node) });
    }
  };
  walk(source.tree, visit, (node) => isTypeNode(node) || isImportDeclaration(node));
  return references;
}

function baseOf(node: Node, scopes: Scopes): string | undefined {
  if (isMetaProperty(node)) return 'import.meta';
  return isIdentifier(node) && isValue(node) ? meaningOf(node.text, node, scopes) : undefined;
}

function isValue(node: Node): boolean {
  const { parent } = node;
  if (isShorthandPropertyAssignment(parent)) return true;
  if (isExportSpecifier(parent) || isMetaProperty(parent)) return false;
  if (isBindingElement(parent) && parent.propertyName === node) return false;
  return !('name' in parent && parent.name === node);
}

function followProperties(base: string, from: Node): { path: string; end: Node } {
  let path = base;
  let end = from;
  for (;;) {
    const { parent } = end;
    if (isPropertyAccessExpression(parent) && parent.expression === end) path += `.${parent.name.text}`;
    else if (isElementAccessExpression(parent) && parent.expression === end && stringOf(parent.argumentExpression))
      path += `.${stringOf(parent.argumentExpression)}`;
    else if (!isWrapper(parent)) return { path, end };
    end = parent;
  }
}

const isWrapper = (node: Node) =>
  node.kind === SyntaxKind.ParenthesizedExpression ||
  node.kind === SyntaxKind.NonNullExpression ||
  node.kind === SyntaxKind.AsExpression ||
  node.kind === SyntaxKind.SatisfiesExpression;

function usesOf(path: string, end: Node): { path: string; called: boolean }[] {
  const { parent } = end;
  if (isCallExpression(parent) && parent.expression === end) {
    return [{ path: path === 'Date' ? 'Date()' : path, called: true }];
  }
  if (isNewExpression(parent) && parent.expression === end) {
    return [{ path: parent.arguments?.length ? path : `new ${path}()`, called: true }];
  }
  if ('initializer' in parent && parent.initializer === end && 'name' in parent) {
    const pattern = parent.name as Node;
    if (isObjectBindingPattern(pattern)) {
      return pattern.elements.map(({ propertyName, name }) => ({
        path: `${path}.${(propertyName ?? name)?.getText()}`,
        called: false,
      }));
    }
  }
  return [{ path, called: false }];
}

function nameOf(path: string): string {
  let name = path.replace(/^((globalThis|global|window|self)\.)+/, '');
  for (const [module, global] of MODULES_OF_GLOBALS) name = name.replace(module, global);
  return name.replace(/\.default(?=\.|$)/, '');
}
