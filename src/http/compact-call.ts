// A request for a compaction: vendors that compact are asked for it, and from other models it asks for a summary, billed like
// any other call. Compactions in later requests are opened before an upstream gets them.

import type { Dialect } from '../dialects/dialect.ts';
import { openaiCompaction } from '../dialects/openai-responses/compaction/dialect.ts';
import {
  openItems,
  Seals,
  type SealTools,
  type VendorItem,
} from '../dialects/openai-responses/compaction/sealed-items.ts';
import {
  askingForSummary,
  compactedResponse,
  conversationIn,
  inputWithCompaction,
  itemsToCompact,
  readCompacted,
  writeCompactedEvents,
  writeCompaction,
} from '../dialects/openai-responses/compaction/summaries.ts';
import { editMembers, type Json, type JsonDocument } from '../kit/json/json.ts';
import { finishScan, openScan, parseScannedText } from './read-body.ts';

/** The call that the relay takes, and how its answer is written. */
export interface RewrittenCall {
  document: JsonDocument;
  /** In place of the endpoint's. */
  dialect?: Dialect;
  vendorItems?: readonly VendorItem[];
  finish?(body: string, channel: string): WrittenAnswer;
}

interface WrittenAnswer {
  body: string;
  isStream: boolean;
}

/** POST /v1/responses; undefined for a request that stays as it is, as most do. */
export function rewriteResponse(
  tools: SealTools,
  document: JsonDocument,
  accountId: string,
): Promise<RewrittenCall> | undefined {
  const input = inputWithCompaction(document.value);
  return input && rewriteItems(new Seals(tools, accountId), document, input);
}

async function rewriteItems(seals: Seals, document: JsonDocument, input: Json[]): Promise<RewrittenCall> {
  const items = itemsToCompact(input);
  if (!items) {
    const opened = openItems(seals, input);
    return { document: await edited(document, { input: opened.items }), vendorItems: opened.vendorItems };
  }
  const isStream = document.value.stream === true;
  return {
    ...(await asking(seals, document, items)),
    finish(body, channel) {
      const response = compactedResponse(readCompacted(body, seals, channel));
      return { body: isStream ? writeCompactedEvents(response) : JSON.stringify(response), isStream };
    },
  };
}

/** POST /v1/responses/compact. */
export async function rewriteCompact(
  tools: SealTools,
  document: JsonDocument,
  accountId: string,
): Promise<RewrittenCall> {
  const items = conversationIn(document.value);
  const seals = new Seals(tools, accountId);
  return {
    ...(await asking(seals, document, items)),
    finish: (body, channel) => ({
      body: writeCompaction(readCompacted(body, seals, channel), items),
      isStream: false,
    }),
  };
}

async function asking(
  seals: Seals,
  document: JsonDocument,
  items: readonly Json[],
): Promise<Pick<RewrittenCall, 'document' | 'dialect' | 'vendorItems'>> {
  const { edits, vendorItems } = askingForSummary(seals, document.value, items);
  return { document: await edited(document, edits), dialect: openaiCompaction, vendorItems };
}

async function edited(document: JsonDocument, edits: Record<string, Json | undefined>): Promise<JsonDocument> {
  const text = editMembers(document, edits);
  return parseScannedText(text, await finishScan(openScan(text)));
}
