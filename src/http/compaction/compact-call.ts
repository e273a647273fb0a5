// A request for a compaction: vendors that compact are asked for it, and from other models it asks for a summary, billed like
// any other call. Compactions in later requests are opened before an upstream gets them.

import type { Dialect } from '../../dialects/dialect.ts';
import { openaiCompaction } from '../../dialects/openai-responses/compaction.ts';
import { fault } from '../../faults/fault.ts';
import { editMembers, isObject, type Json, type JsonDocument } from '../../kit/json/json.ts';
import type { MadeItem } from '../../relay/keep-readers.ts';
import type { HttpTools } from '../exchange.ts';
import { finishScan, openScan, parseScannedText } from '../read-body.ts';
import { askForSummary, isOurs, isTrigger, openItems, Seals } from './sealed-items.ts';
import { compactedResponse, readCompacted, writeCompaction, writeEvents } from './write-compacted.ts';

/** The call that the relay takes, and how its answer is written. */
export interface RewrittenCall {
  document: JsonDocument;
  /** In place of the endpoint's. */
  dialect?: Dialect;
  madeBy?: readonly MadeItem[];
  finish?(body: string, channel: string): WrittenAnswer;
}

interface WrittenAnswer {
  body: string;
  isStream: boolean;
}

type Tools = Pick<HttpTools, 'sealer' | 'newId'>;

/** POST /v1/responses; undefined for a request that stays as it is, as most do. */
export function rewriteResponse(
  tools: Tools,
  document: JsonDocument,
  accountId: string,
): Promise<RewrittenCall> | undefined {
  const { input } = document.value;
  if (!Array.isArray(input) || !input.some((item) => isTrigger(item) || isOurs(item))) return undefined;
  return rewriteItems(tools, document, accountId, input);
}

async function rewriteItems(
  tools: Tools,
  document: JsonDocument,
  accountId: string,
  input: readonly Json[],
): Promise<RewrittenCall> {
  const isStream = document.value.stream === true;
  const seals = new Seals(tools, accountId);
  const at = input.findIndex(isTrigger);
  if (at < 0) {
    const { items, madeBy } = openItems(seals, input);
    return { document: await edited(document, { input: items }), madeBy };
  }
  if (at < input.length - 1) {
    throw fault('invalid_request', { param: `input[${at}]`, message: 'compaction_trigger must be the last item.' });
  }
  return {
    ...(await askingForSummary(seals, document, input.slice(0, -1))),
    finish(body, channel) {
      const response = compactedResponse(readCompacted(body, seals, channel));
      return { body: isStream ? writeEvents(response) : JSON.stringify(response), isStream };
    },
  };
}

/** POST /v1/responses/compact. */
export async function rewriteCompact(tools: Tools, document: JsonDocument, accountId: string): Promise<RewrittenCall> {
  const items = itemsOf(document.value.input);
  const seals = new Seals(tools, accountId);
  return {
    ...(await askingForSummary(seals, document, items)),
    finish: (body, channel) => ({
      body: writeCompaction(readCompacted(body, seals, channel), items),
      isStream: false,
    }),
  };
}

function itemsOf(input: Json | undefined): Json[] {
  if (Array.isArray(input) && input.length > 0) return input;
  if (typeof input === 'string' && input !== '') return [{ type: 'message', role: 'user', content: input }];
  throw fault('invalid_request', {
    param: 'input',
    message: 'input must be a text or a list of items, and not empty.',
  });
}

async function askingForSummary(
  seals: Seals,
  document: JsonDocument,
  input: readonly Json[],
): Promise<Pick<RewrittenCall, 'document' | 'dialect' | 'madeBy'>> {
  const { tools, text } = document.value;
  const { items, madeBy } = openItems(seals, input);
  const asking = await edited(document, {
    input: [...items, askForSummary()],
    stream: false,
    store: false,
    // With the same tools as before, the prompt is the same up to here, and may be cached.
    ...(Array.isArray(tools) && tools.length > 0 ? { tool_choice: 'none' } : { tool_choice: undefined }),
    ...(isObject(text) ? { text: { ...text, format: undefined } } : {}),
  });
  return { document: asking, dialect: openaiCompaction, madeBy };
}

async function edited(document: JsonDocument, edits: Record<string, Json | undefined>): Promise<JsonDocument> {
  const text = editMembers(document, edits);
  return parseScannedText(text, await finishScan(openScan(text)));
}
