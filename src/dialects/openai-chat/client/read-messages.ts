// The messages of a chat request as turns. System messages before the first turn are the system prompt; later ones keep their
// place.

import { isObject, type JsonObject } from '../../../kit/json/json.ts';
import type { RawPlace } from '../../../kit/json/raw-json.ts';
import { refuseField, stringAt } from '../../fields.ts';
import type { Part, TextPart, ToolResultPart, Turn } from '../../translate/conversation.ts';
import { splitSystem } from '../../translate/leading-system.ts';
import { readCacheMark } from '../../translate/read-cache-mark.ts';
import { requireResultParts } from '../../translate/result-parts.ts';
import { CallIds } from '../../translate/tools/call-ids.ts';
import { readReasoning } from '../read-reasoning.ts';
import { readCalls } from './read-calls.ts';
import { readParts, readTexts } from './read-parts.ts';

/** `raw`: the place of the messages in the JSON text of the body. */
export function readMessages(
  messages: readonly JsonObject[],
  raw: RawPlace | undefined,
): { system: TextPart[]; turns: Turn[] } {
  const ids = new CallIds();
  const turns = messages.map((message, index): Turn => {
    const at = `messages[${index}]`;
    const parts = markLast(message, readMessage(message, { at, ids, raw: () => raw?.at(index) }));
    return {
      role: ROLES.get(message.role ?? '') ?? refuseField(`${at}.role`, `${at}.role must be a known role.`),
      parts,
      at,
    };
  });
  return splitSystem(turns);
}

const ROLES = new Map<unknown, Turn['role']>([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'user'],
  ['function', 'user'],
]);

interface Place {
  at: string;
  ids: CallIds;
  raw(): RawPlace | undefined;
}

function readMessage(message: JsonObject, place: Place): Part[] {
  const content = `${place.at}.content`;
  switch (message.role) {
    case 'system':
    case 'developer':
      return readTexts(message.content, content);
    case 'assistant':
      return readAssistant(message, place);
    case 'tool': {
      const at = `${place.at}.tool_call_id`;
      return [readResult(message, place, place.ids.find(stringAt(message.tool_call_id, at)))];
    }
    case 'function':
      return [readResult(message, place, place.ids.findByName(stringAt(message.name, `${place.at}.name`)))];
    default:
      return readParts(message.content, content);
  }
}

function readAssistant(message: JsonObject, place: Place): Part[] {
  const { at } = place;
  const parts: Part[] = [...readReasoning(message, at), ...readParts(message.content, `${at}.content`)];
  if (typeof message.refusal === 'string') parts.push({ type: 'text', text: message.refusal, at: `${at}.refusal` });
  if (isObject(message.audio)) parts.push({ type: 'other', kind: 'audio', at: `${at}.audio` });
  return [...parts, ...readCalls(message, place)];
}

function readResult({ content }: JsonObject, { at }: Place, callId: string): ToolResultPart {
  const parts = requireResultParts(readParts(content, `${at}.content`));
  return { type: 'tool_result', callId, content: parts, isError: false, at };
}

/** A mark on the whole message, which some libraries set, applies to its end. */
function markLast(message: JsonObject, parts: Part[]): Part[] {
  const mark = readCacheMark(message);
  return mark.cache ? parts.map((part, index) => (index === parts.length - 1 ? { ...part, ...mark } : part)) : parts;
}
