// The fields of a large body that can refuse its call before the body is parsed. They have the same names in every dialect.

import { type JsonObject, tryParseJson } from '../kit/json/json.ts';
import type { Spans } from '../kit/json/spans.ts';

export interface UnparsedFields {
  /** The model alone, as in a parsed body. */
  value: JsonObject;
  /** Such a call may only warm a cache, which no limit refuses. */
  asksNoOutput: boolean;
  /** Other models may answer than the fallbacks of this one. */
  listsModels: boolean;
}

/** Undefined if the model is known only after the parse. */
export function readUnparsed(text: string, spans: Spans): UnparsedFields | undefined {
  const model = memberOf(text, spans, 'model');
  if (typeof model !== 'string' || spans.findTwice() !== undefined) return undefined;
  return {
    value: { model },
    asksNoOutput: memberOf(text, spans, 'max_tokens') === 0,
    listsModels: spans.get('models') !== undefined,
  };
}

function memberOf(text: string, spans: Spans, name: string): unknown {
  const span = spans.get(name);
  return span && tryParseJson(text.slice(span.valueStart, span.valueEnd));
}
