// A request for a compaction becomes a call that asks the same model for a summary, billed like any other. Summaries in
// other requests are opened before a model gets them.

import { fault } from '../../faults/fault.ts';
import { editMembers, isObject, type Json, type JsonDocument, type JsonObject } from '../../kit/json/json.ts';
import type { HttpTools } from '../exchange.ts';
import { finishScan, openScan, parseScannedText } from '../read-body.ts';
import { askForSummary, isOurs, isTrigger, openSummaries, sealSummary } from './summaries.ts';
import { compactedResponse, writeCompaction, writeEvents } from './write-compacted.ts';

/** The body that the relay takes, and what becomes of its answer. */
export interface RewrittenCall {
  document: JsonDocument;
  finish?(body: string): WrittenAnswer;
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
  const { stream } = document.value;
  const at = input.findIndex(isTrigger);
  if (at < 0) {
    return { document: await edited(document, { input: openSummaries(tools.sealer, accountId, input) }) };
  }
  if (at < input.length - 1) {
    throw fault('invalid_request', { param: `input[${at}]`, message: 'compaction_trigger must be the last item.' });
  }
  return {
    document: await askingForSummary(tools, document, accountId, input.slice(0, -1)),
    finish(body) {
      const response = compactedResponse(body, sealFor(tools, accountId));
      const isStream = stream === true;
      return { body: isStream ? writeEvents(response) : JSON.stringify(response), isStream };
    },
  };
}

/** POST /v1/responses/compact. */
export async function rewriteCompact(tools: Tools, document: JsonDocument, accountId: string): Promise<RewrittenCall> {
  const items = itemsOf(document.value.input);
  return {
    document: await askingForSummary(tools, document, accountId, items),
    finish: (body) => ({
      body: writeCompaction(compactedResponse(body, sealFor(tools, accountId)), items),
      isStream: false,
    }),
  };
}

function itemsOf(input: Json | undefined): Json[] {
  if (Array.isArray(input) && input.length > 0) return input;
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }];
  throw fault('invalid_request', {
    param: 'input',
    message: 'input must be a text or a list of items, and not empty.',
  });
}

function askingForSummary(
  { sealer }: Tools,
  document: JsonDocument,
  accountId: string,
  items: readonly Json[],
): Promise<JsonDocument> {
  const { tools, text } = document.value;
  return edited(document, {
    input: [...openSummaries(sealer, accountId, items), askForSummary()],
    stream: false,
    store: false,
    // With the same tools as before, the prompt is the same up to here, and may be cached.
    ...(Array.isArray(tools) && tools.length > 0 ? { tool_choice: 'none' } : { tool_choice: undefined }),
    ...(isObject(text) ? { text: { ...text, format: undefined } } : {}),
  });
}

function sealFor({ sealer, newId }: Tools, accountId: string) {
  return (summary: string): JsonObject => sealSummary(sealer, accountId, `cmp_${newId('req')}`, summary);
}

async function edited(document: JsonDocument, edits: Record<string, Json | undefined>): Promise<JsonDocument> {
  const text = editMembers(document, edits);
  return parseScannedText(text, await finishScan(openScan(text)));
}
