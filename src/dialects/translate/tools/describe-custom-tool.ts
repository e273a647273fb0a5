// What a model is told of a custom tool. A grammar, which formats without such tools cannot enforce, is at least told.

import { isObject, type JsonObject } from '../../../kit/json/json.ts';

/** The grammar stands in the format itself or, in chats, one level below. */
export function describeCustomTool({ description, format }: JsonObject): string | undefined {
  const outer = isObject(format) ? format : {};
  const { definition, syntax } = isObject(outer.grammar) ? outer.grammar : outer;
  const words = typeof description === 'string' ? [description] : [];
  if (typeof definition === 'string') {
    const kind = typeof syntax === 'string' ? `${syntax} ` : '';
    words.push(`The input must match this ${kind}grammar:\n${definition}`);
  }
  return words.length > 0 ? words.join('\n\n') : undefined;
}
