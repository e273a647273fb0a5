// Ways around the type checker, SQL outside its room, files grown too long.
import {
  isAsExpression,
  isJsxText,
  isNoSubstitutionTemplateLiteral,
  isParenthesizedExpression,
  isRegularExpressionLiteral,
  isStringLiteral,
  isTemplateExpression,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { type Files, placeOf, type Source, stringOf, walk } from './source.ts';

const LINES_MAX = 400;

// Upper case anywhere, lower case only as the beginning: "select a model from the list" is English.
const SQL = [
  /\bSELECT\b[\s\S]+\bFROM\b|\bINSERT\s+(OR\s+\w+\s+)?INTO\b|\bUPDATE\s+\S+\s+SET\b|\bDELETE\s+FROM\b/,
  /\b(CREATE|ALTER|DROP)\s+(UNIQUE\s+)?(TABLE|INDEX|VIEW|TRIGGER)\b|\bBEGIN\s+IMMEDIATE\b|^\s*PRAGMA\s/,
  /^\s*(select\s+(distinct\s+)?(\*|[\w.]+|[^;]*[,()][^;]*)\s+from\s|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s)/,
  /^\s*((create|alter|drop)\s+(unique\s+)?(table|index|view|trigger)|pragma|begin\s+immediate)\b/,
];

export function findTypeEscapes(sources: Source[]): string[] {
  return sources.flatMap((source) => {
    const problems: string[] = [];
    walk(source.tree, (node) => {
      if (node.kind === SyntaxKind.AnyKeyword) problems.push(`${placeOf(source, node)} has the type any`);
      if (isDoubleCast(node)) problems.push(`${placeOf(source, node)} casts through unknown`);
    });
    return [...problems, ...findSuppressions(source)];
  });
}

export function findStraySql(sources: Source[]): string[] {
  return sources
    .filter(({ path }) => !path.startsWith('src/store/'))
    .flatMap((source) => {
      const problems: string[] = [];
      walk(source.tree, (node) => {
        const text = literalText(node);
        if (text !== undefined && SQL.some((sql) => sql.test(text))) {
          problems.push(`${placeOf(source, node)} holds SQL, allowed in store/`);
        }
      });
      return problems;
    });
}

export function findLongFiles(files: Files): string[] {
  return (
    [...files]
      .map(([path, text]) => ({ path, lines: text.trimEnd().split('\n').length }))
      // Written by a machine, and as long as the schema is.
      .filter(({ path, lines }) => lines > LINES_MAX && !path.endsWith('/schema.sql'))
      .map(({ path, lines }) => `${path} has ${lines} lines; ${LINES_MAX} at most, 250 as the aim`)
  );
}

function isDoubleCast(node: Node): boolean {
  if (!isAsExpression(node)) return false;
  let inner: Node = node.expression;
  while (isParenthesizedExpression(inner)) inner = inner.expression;
  return isAsExpression(inner) && inner.type.kind === SyntaxKind.UnknownKeyword;
}

/** Comments are not in the tree: what the text has and no literal holds is one. */
function findSuppressions(source: Source): string[] {
  const literals: { pos: number; end: number }[] = [];
  walk(source.tree, (node) => {
    if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node) || isJsxText(node)) literals.push(node);
    if (isTemplateExpression(node) || isRegularExpressionLiteral(node)) literals.push(node);
  });
  return [...source.text.matchAll(/@ts-(ignore|expect-error|nocheck)\b/g)]
    .filter(({ index }) => !literals.some(({ pos, end }) => pos <= index && index < end))
    .map((match) => `${placeOf(source, match.index)} silences the type checker (${match[0]})`);
}

function literalText(node: Node): string | undefined {
  if (!isTemplateExpression(node)) return stringOf(node);
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('?');
}
