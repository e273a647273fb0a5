// The summary of a conversation, as an item that only this service can read and that any model understands once it is opened.
// The client keeps it and sends it back; nothing is stored here.

import { fault } from '../../faults/fault.ts';
import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { isSealed, type Sealer } from '../../kit/sealed.ts';

export const TRIGGER = 'compaction_trigger';

const PREFACE = 'This is a summary of the conversation before this point:\n\n';

const PROMPT = `Summarize this conversation for an assistant that will continue it and has not seen it. Include:
- what the user asked for, with every requirement, limit and preference that they stated;
- what was done, found out and decided, with exact names, paths, commands and values;
- what is not finished, and the next steps.
Reply with the summary only. Do not call tools and do not continue the work.`;

export function sealSummary(sealer: Sealer, accountId: string, id: string, text: string): JsonObject {
  return { type: 'compaction', id, encrypted_content: sealer.seal(text, ownerOf(accountId)) };
}

/** The items with every summary of ours as a message. Summaries of a vendor stay as they are. */
export function openSummaries(sealer: Sealer, accountId: string, items: readonly Json[]): Json[] {
  return items.map((item, index) => {
    if (!isOurs(item)) return item;
    const text = sealer.open(item.encrypted_content, ownerOf(accountId));
    if (text === undefined) refuse(`input[${index}]`);
    return userMessage(PREFACE + text);
  });
}

export function askForSummary(): JsonObject {
  return userMessage(PROMPT);
}

export function isOurs(item: Json | undefined): item is JsonObject & { encrypted_content: string } {
  if (!isObject(item) || item.type !== 'compaction') return false;
  return typeof item.encrypted_content === 'string' && isSealed(item.encrypted_content);
}

export function isTrigger(item: Json | undefined): boolean {
  return isObject(item) && item.type === TRIGGER;
}

/** No other account can read it. */
function ownerOf(accountId: string): string {
  return `compaction:${accountId}`;
}

function userMessage(text: string): JsonObject {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

function refuse(param: string): never {
  throw fault('invalid_request', {
    param,
    message: `${param} cannot be read: it was changed, or made for another account. Send the conversation without it.`,
  });
}
