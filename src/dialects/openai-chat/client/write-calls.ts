// Calls for chat clients, counted from zero even if other content is between them: of functions, of custom tools, and as
// `function_call` for a client that uses that older form.

import type { JsonObject } from '../../../kit/json/json.ts';
import type { AnswerContext } from '../../translate/adapters.ts';
import type { Block } from '../../translate/answer-events.ts';
import { tagToolId } from '../../translate/opaque.ts';

interface CallWriter {
  open(block: Extract<Block, { kind: 'tool' }>): JsonObject[];
  add(text: string): JsonObject[];
  close(): JsonObject[];
  count(): number;
}

export function createCallWriter({ tools, origin }: AnswerContext, isLegacy: boolean): CallWriter {
  const custom = new Set(tools.filter(({ isCustom }) => isCustom).map(({ name }) => name));
  let count = 0;
  let isCustom = false;
  let isEmpty = true;

  function add(text: string): JsonObject[] {
    if (text === '') return [];
    isEmpty = false;
    if (isLegacy) return count === 1 ? [{ function_call: { arguments: text } }] : [];
    const delta = isCustom ? { custom: { input: text } } : { function: { arguments: text } };
    return [{ tool_calls: [{ index: count - 1, ...delta }] }];
  }

  return {
    open({ id, name, signature }) {
      count++;
      isCustom = custom.has(name);
      isEmpty = true;
      // This older form has one call only, and the request asked for it.
      if (isLegacy) return count === 1 ? [{ function_call: { name, arguments: '' } }] : [];
      const tagged = signature === undefined ? id : tagToolId(id, { origin, value: signature });
      const call = isCustom
        ? { id: tagged, type: 'custom', custom: { name, input: '' } }
        : { id: tagged, type: 'function', function: { name, arguments: '' } };
      const extra = signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };
      return [{ tool_calls: [{ index: count - 1, ...call, ...extra }] }];
    },
    add,
    // Arguments must be JSON, and an empty text is not.
    close: () => (isEmpty && !isCustom ? add('{}') : []),
    count: () => count,
  };
}
