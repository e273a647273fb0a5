// Requests for a compaction: how one is recognized, and the request for a summary that it becomes.

import { fault } from '../../../faults/fault.ts';
import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';
import { fulfilWish } from '../sealed-reasoning.ts';
import { isOurs, openItems, type Seals, type VendorItem } from './sealed-items.ts';

const TRIGGER = 'compaction_trigger';

const PROMPT = `Summarize this conversation for an assistant that will continue it and has not seen it. Include:
- what the user asked for, with every requirement, limit and preference that they stated;
- what was done, found out and decided, with exact names, paths, commands and values;
- what is not finished, and the next steps.
Reply with the summary only. Do not call tools and do not continue the work.`;

/** Members of a body in place of the client's. */
interface Edited {
  edits: Record<string, Json | undefined>;
  vendorItems: VendorItem[];
}

/** `input` if it asks for a compaction, or has one that only this service can open. */
export function inputWithCompaction({ input }: JsonObject): Json[] | undefined {
  return Array.isArray(input) && input.some((item) => isTrigger(item) || isOurs(item)) ? input : undefined;
}

/** Undefined if the body asks for no compaction. */
export function itemsToCompact(input: Json[]): Json[] | undefined {
  const at = input.findIndex(isTrigger);
  if (at < 0) return undefined;
  if (at < input.length - 1) {
    throw fault('invalid_request', { param: `input[${at}]`, message: 'compaction_trigger must be the last item.' });
  }
  return input.slice(0, -1);
}

/** The conversation in a body whose only purpose is its compaction. */
export function conversationIn({ input }: JsonObject): Json[] {
  if (Array.isArray(input) && input.length > 0) return input;
  if (typeof input === 'string' && input !== '') return [{ type: 'message', role: 'user', content: input }];
  throw fault('invalid_request', {
    param: 'input',
    message: 'input must be a text or a list of items, and not empty.',
  });
}

export function asksForStream({ stream }: JsonObject): boolean {
  return stream === true;
}

export function withOpenItems(seals: Seals, input: readonly Json[]): Edited {
  const { items, vendorItems } = openItems(seals, input);
  return { edits: { input: items }, vendorItems };
}

export function askingForSummary(seals: Seals, body: JsonObject, input: readonly Json[]): Edited {
  const { tools, text } = body;
  const { items, vendorItems } = openItems(seals, input);
  const asked = { type: 'message', role: 'user', content: [{ type: 'input_text', text: PROMPT }] };
  const edits = {
    input: [...items, asked],
    stream: false,
    store: false,
    // With the same tools as before, the prompt is the same up to here, and may be cached.
    tool_choice: Array.isArray(tools) && tools.length > 0 ? 'none' : undefined,
    ...fulfilWish(body, false),
    ...(isObject(text) ? { text: { ...text, format: undefined } } : {}),
  };
  return { edits, vendorItems };
}

function isTrigger(item: Json | undefined): boolean {
  return isObject(item) && item.type === TRIGGER;
}
