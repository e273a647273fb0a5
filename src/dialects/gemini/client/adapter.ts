// Google's Gemini format as a client's. A request is read here and by the read-… files beside it; an answer is written by
// write-events.ts, as a stream or whole.

import { isObject, type Json, type JsonDocument } from '../../../kit/json/json.ts';
import { openMember } from '../../../kit/json/raw-json.ts';
import { refuseField } from '../../fields.ts';
import type { ClientAdapter } from '../../translate/adapters.ts';
import type { Conversation, Part, ReasoningPart, TextPart, Turn } from '../../translate/conversation.ts';
import { member } from '../member.ts';
import { readContents } from '../read-request.ts';
import { CallHistory, readParts } from './read-parts.ts';
import { readFormat, readReasoning, readSettings, showsThoughts } from './read-settings.ts';
import { readTools } from './read-tools.ts';
import { createEventWriter, writeWhole } from './write-events.ts';

export const geminiClient: ClientAdapter = {
  readConversation,
  createEventWriter,
  writeWhole,
  hidesThoughts: (body) => !showsThoughts(body),
  keepsSignatures: true,
  // Google's citations refer to its own search.
  findLost: (events) => (events.some(({ type }) => type === 'cite') ? ['citations'] : []),
};

function readConversation(document: JsonDocument): Conversation {
  const { value: body } = document;
  const { tools, toolChoice, left } = readTools(body);
  return {
    system: readSystem(member(body, 'systemInstruction')),
    turns: joinPieces(readTurns(document)),
    tools,
    toolChoice,
    toolChoiceName: 'toolConfig.functionCallingConfig',
    parallelTools: undefined,
    reasoning: readReasoning(body),
    showsThoughts: showsThoughts(body),
    format: readFormat(body),
    settings: [...readSettings(body), ...left],
  };
}

function readTurns(document: JsonDocument): Turn[] {
  const { contents } = document.value;
  const raw = openMember(document, 'contents');
  const calls = new CallHistory();
  return readContents(document.value).map((content, index): Turn => {
    const at = `contents[${index}]`;
    const place = () => (Array.isArray(contents) ? raw?.at(index) : raw)?.at('parts');
    const parts = readParts(content.parts, `${at}.parts`, { raw: place, calls });
    return { role: content.role === 'model' ? 'assistant' : 'user', parts, at };
  });
}

const SYSTEM = 'systemInstruction';

function readSystem(system: Json | undefined): TextPart[] {
  if (system === undefined) return [];
  if (typeof system === 'string') return [{ type: 'text', text: system, at: SYSTEM }];
  if (!isObject(system)) return refuseField(SYSTEM, `${SYSTEM} must be an object with parts.`);
  const at = `${SYSTEM}.parts`;
  return readParts(system.parts, at, { raw: () => undefined, calls: new CallHistory() }).map((part) =>
    part.type === 'text' ? part : refuseField(part.at, `Only text is accepted at ${part.at}. Make it text.`),
  );
}

function joinPieces(turns: readonly Turn[]): Turn[] {
  const joined: Turn[] = [];
  for (const turn of turns) {
    const before = joined.at(-1);
    if (turn.role !== 'assistant') joined.push(turn);
    else if (before?.role === 'assistant') for (const part of turn.parts) addPart(before.parts, part);
    else {
      const parts: Part[] = [];
      for (const part of turn.parts) addPart(parts, part);
      joined.push({ ...turn, parts });
    }
  }
  return joined;
}

function addPart(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  if (part.type === 'text' && last?.type === 'text') parts[parts.length - 1] = { ...last, text: last.text + part.text };
  else if (part.type === 'reasoning' && last?.type === 'reasoning' && isPieceOf(last, part)) {
    parts[parts.length - 1] = { ...last, ...part, text: last.text + part.text, at: last.at };
  } else parts.push(part);
}

/** A part with a signature is complete. */
function isPieceOf(last: ReasoningPart, part: ReasoningPart): boolean {
  return last.opaque === undefined && last.redacted === undefined && part.redacted === undefined;
}
