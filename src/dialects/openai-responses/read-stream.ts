// Reads a response stream event by event: the kind of each event, its content, and the facts that the bill needs. Text is never
// kept.

import { isObject, type JsonDocument, type JsonObject, tryReadAnswerJson } from '../../kit/json/json.ts';
import { checkReport } from '../counts.ts';
import {
  type AnswerFacts,
  addOutput,
  NO_OUTPUT,
  type Segment,
  type StreamEvent,
  type StreamReader,
} from '../dialect.ts';
import { BROKEN, DONE } from '../stream/bare-events.ts';
import { isEventName } from '../stream/sse.ts';
import {
  callOf,
  FAILURES,
  indexAt,
  isEnded,
  isReasoning,
  outputOf,
  outputOfResponse,
  readEvent,
  readFinish,
  type SlotText,
} from './read-answer.ts';
import { readUsage } from './usage.ts';

const ITEM_DONE = 'response.output_item.done';

export function createStreamReader(): StreamReader {
  const facts: AnswerFacts = { usage: 'absent', output: NO_OUTPUT, finish: 'other' };
  const takeNew = createNewTextFilter();
  let finished = false;

  function finish(name: string, document: JsonDocument, response: JsonObject): StreamEvent[] {
    if (!isEnded(response)) return [BROKEN];
    finished = true;
    facts.finish = readFinish(response);
    facts.usage = readUsage(response.usage, response.service_tier);
    const whole = outputOfResponse(response);
    // Some upstreams send all output only at the end.
    const hasNoOutput = !facts.output.hasContent && !facts.output.hasReasoning;
    facts.output = addOutput(
      facts.output,
      hasNoOutput ? whole : { ...whole, tokens: 0, reasoningTokens: 0, toolInput: 0, toolCalls: undefined },
    );
    if (whole.toolCalls) facts.output = { ...facts.output, toolCalls: whole.toolCalls };
    const last: StreamEvent = { kind: 'held', name, document, segments: [] };
    // No end mark need follow; where the usage is still missing, something may.
    return facts.usage === 'absent' ? [last] : [last, DONE];
  }

  function read(document: JsonDocument): StreamEvent[] {
    const { value } = document;
    const name = String(value.type);
    if (FAILURES.has(name)) return [BROKEN];
    switch (name) {
      case 'response.completed':
      case 'response.incomplete':
        return isObject(value.response) ? finish(name, document, value.response) : [BROKEN];
      default: {
        const segments = readEvent(value, indexAt(value, 'output_index')).flatMap(takeNew);
        const output = outputOf(segments);
        const hasHidden = isObject(value.item) && isReasoning(value.item);
        const toolCalls = name === ITEM_DONE && isObject(value.item) ? callOf(value.item) : undefined;
        const hasReasoning = output.hasReasoning || hasHidden;
        facts.output = addOutput(facts.output, { ...output, hasReasoning, toolCalls });
        return [{ kind: output.hasContent || output.hasReasoning ? 'output' : 'other', name, document, segments }];
      }
    }
  }

  return {
    read({ data = '' }) {
      if (data === '[DONE]') return [DONE];
      const document = tryReadAnswerJson(data);
      if (typeof document?.value.type !== 'string') return [BROKEN];
      return isEventName(document.value.type) ? read(document) : [];
    },
    facts: () => ({ ...facts, usage: checkReport(facts.usage, facts.output, finished), finished }),
    isFinished: () => finished,
  };
}

/** The part of a complete text that no delta had. */
export function createNewTextFilter(): (said: SlotText) => Segment[] {
  const lengths = new Map<string, number>();
  return ({ slot, text, isWhole }) => {
    const known = lengths.get(slot) ?? 0;
    const fresh = isWhole ? text.slice(known) : text;
    if (fresh === '') return [];
    lengths.set(slot, known + fresh.length);
    return [{ slot, text: fresh }];
  };
}
