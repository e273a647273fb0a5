// Writes an answer as the deltas of chat chunks: text and calls, and one finish reason.

import type { JsonObject } from '../../../kit/json/json.ts';
import type { AnswerContext } from '../../translate/adapters.ts';
import type { AnswerEvent, Block, StopReason, UrlCitation } from '../../translate/answer-events.ts';
import { usesFunctions } from './read-tools.ts';
import { createCallWriter } from './write-calls.ts';
import { createReasoningWriter } from './write-reasoning.ts';

export interface Delta {
  delta: JsonObject;
  finish: string | null;
}

export function createDeltaWriter(context: AnswerContext): (event: AnswerEvent) => Delta[] {
  const isLegacy = usesFunctions(context.asked.value);
  const reasoning = createReasoningWriter(context.origin);
  const calls = createCallWriter(context, isLegacy);
  let open: Block | undefined;
  let isOver = false;

  function begin(block: Block): JsonObject[] {
    open = block;
    if (block.kind !== 'reasoning' && block.kind !== 'redacted') reasoning.passOver();
    if (block.kind === 'tool') return calls.open(block);
    return block.kind === 'redacted' ? reasoning.redact(block.data) : [];
  }

  function add(text: string): JsonObject[] {
    switch (open?.kind) {
      case 'text':
        return [{ content: text }];
      case 'refusal':
        return [{ refusal: text }];
      case 'reasoning':
        return reasoning.add(text);
      case 'tool':
        return calls.add(text);
      default:
        return [];
    }
  }

  function close(): JsonObject[] {
    const kind = open?.kind;
    open = undefined;
    if (kind === 'tool') return calls.close();
    return kind === 'reasoning' || kind === 'text' ? reasoning.close() : [];
  }

  function deltasOf(event: AnswerEvent): JsonObject[] {
    switch (event.type) {
      case 'open':
        return begin(event.block);
      case 'delta':
        return add(event.text);
      case 'sign':
        return reasoning.sign(event.signature);
      case 'cite':
        return [{ annotations: [writeCitation(event.citation)] }];
      case 'close':
        return close();
      default:
        return [];
    }
  }

  return (event) => {
    if (isOver) return [];
    if (event.type !== 'stop') return deltasOf(event).map((delta) => ({ delta, finish: null }));
    isOver = true;
    return [{ delta: {}, finish: finishOf(event.reason, calls.count(), isLegacy) }];
  };
}

function finishOf(reason: StopReason, calls: number, isLegacy: boolean): string {
  switch (reason) {
    case 'end':
      return 'stop';
    case 'length':
      return 'length';
    case 'filter':
      return 'content_filter';
    case 'tool':
      // A client would look for calls that are not there.
      return calls === 0 ? 'stop' : isLegacy ? 'function_call' : 'tool_calls';
  }
}

function writeCitation({ url, title, start, end }: UrlCitation): JsonObject {
  return { type: 'url_citation', url_citation: { start_index: start, end_index: end, url, title } };
}
