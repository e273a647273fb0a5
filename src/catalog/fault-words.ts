// Texts for the errors of a document, because those of the parsing libraries are written for programmers.

import type { ErrorCode } from 'yaml';
import type { z } from 'zod';
import type { DocumentFault } from './check-references.ts';

/** The path of faults of the whole document; their messages name it themselves. */
export const WHOLE = 'document';

export function printFault({ path, message }: DocumentFault): string {
  return path === WHOLE ? message : `${path}: ${message}`;
}

const TYPES: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'a table of fields',
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
};

export function unknownFields(names: readonly string[]): string {
  return `unknown field ${names.join(', ')}`;
}

/** For issues without a message in the schema. */
export function describeIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case 'too_small':
      return describeBound('at least', Number(issue.minimum), issue.origin);
    case 'too_big':
      return describeBound('at most', Number(issue.maximum), issue.origin);
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'unrecognized_keys':
      return unknownFields(issue.keys);
    default:
      return 'is not allowed here';
  }
}

function describeBound(bound: string, size: number, origin: string): string {
  const isOne = size === 1 && bound === 'at least';
  if (origin === 'string') return isOne ? 'must not be empty' : `must have ${bound} ${size} characters`;
  if (origin === 'array') return isOne ? 'must not be an empty list' : `must have ${bound} ${size} entries`;
  return `must be ${bound} ${size}`;
}

/** Never quotes the document, which may contain secrets. */
export const YAML_REASONS: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'an alias (*name) cannot have an anchor or a tag',
  BAD_ALIAS: 'an alias (*name) or an anchor (&name) has no proper name',
  BAD_COLLECTION_TYPE: 'a tag does not fit the list or table behind it',
  BAD_DIRECTIVE: 'a line that begins with % is not understood',
  BAD_DQ_ESCAPE: 'a text in double quotes has a backslash with an unknown letter',
  BAD_INDENT: 'the indentation does not fit the lines around it, or a bracket is not closed',
  BAD_PROP_ORDER: 'an anchor or a tag is in the wrong place',
  BAD_SCALAR_START: 'a text begins with a reserved character; put it in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a line has a second ": ", or the indentation is wrong; put the text in quotes',
  BLOCK_IN_FLOW: 'an indented list or table is inside [ ] or { }',
  DUPLICATE_KEY: 'a field appears twice in the same table',
  IMPOSSIBLE: 'this cannot be read',
  KEY_OVER_1024_CHARS: 'the name of a field is longer than 1024 characters',
  MISSING_CHAR: 'a quote, a bracket, a comma or the ":" after a name is missing, or the indentation is wrong',
  MULTILINE_IMPLICIT_KEY: 'the name of a field goes over several lines; is a ":" missing?',
  MULTIPLE_ANCHORS: 'one value has several anchors',
  MULTIPLE_DOCS: 'a second document begins here ("---"); there can be only one',
  MULTIPLE_TAGS: 'one value has several tags',
  NON_STRING_KEY: 'the name of a field must be a text',
  RESOURCE_EXHAUSTION: 'it is nested too deep',
  TAB_AS_INDENT: 'a tab is used for indentation; use spaces',
  TAG_RESOLVE_FAILED: 'a tag is not known here',
  UNEXPECTED_TOKEN: 'unexpected text',
};
