// Settings in a message or a block. An effort applies to the turns after it, so the last one applies to the answer; other
// formats have no field for the rest.

import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';
import { isMeaningful } from '../../removals/priced-fields.ts';
import type { Setting } from '../../translate/conversation.ts';

interface TurnSettings {
  /** The effort of the requested answer; undefined if no message sets one. */
  effort: string | undefined;
  left: Setting[];
}

export const TURN_EFFORT = 'messages.output_config.effort';

export function readTurnSettings(messages: readonly JsonObject[]): TurnSettings {
  let effort: string | undefined;
  /** Applies from the next message of the user. */
  let next: string | undefined;
  let isAsked = false;
  const left = new Map<string, Setting>();
  for (const message of messages) {
    const said = message.role === 'system' ? effortOf(message) : undefined;
    for (const [name, value] of settingsOf(message)) {
      if (name !== TURN_EFFORT || said === undefined) left.set(name, { kind: 'other', name, value });
    }
    if (wantsCitations(message.content)) left.set('citations', { kind: 'other', name: 'citations', value: true });
    if (message.role !== 'system') isAsked = hasNewWords(message);
    next = said ?? next;
    if (isAsked) effort = next ?? effort;
  }
  return { effort, left: [...left.values()] };
}

function effortOf({ output_config: config }: JsonObject): string | undefined {
  return isObject(config) && typeof config.effort === 'string' ? config.effort : undefined;
}

/** False for tool results alone: they continue the request before. */
function hasNewWords({ role, content }: JsonObject): boolean {
  if (role !== 'user') return false;
  return !Array.isArray(content) || content.some((block) => isObject(block) && block.type !== 'tool_result');
}

/** All fields of system messages, which only the client writes. Other messages may be answers that are sent back. */
function settingsOf(message: JsonObject): [string, Json][] {
  const { output_config: config } = message;
  const inside = isObject(config) ? named(config, 'messages.output_config') : [];
  if (message.role !== 'system') return inside;
  const { role: _role, content: _content, output_config: _config, ...others } = message;
  return [...inside, ...named(others, 'messages')];
}

/** Whether a document or search result, also inside a tool result, enables citations. */
function wantsCitations(content: Json | undefined): boolean {
  if (!Array.isArray(content)) return false;
  return content.some((block) => {
    if (!isObject(block)) return false;
    return (isObject(block.citations) && block.citations.enabled === true) || wantsCitations(block.content);
  });
}

function named(members: JsonObject, outer: string): [string, Json][] {
  return Object.entries(members).flatMap(([name, value]): [string, Json][] =>
    isMeaningful(value) ? [[`${outer}.${name}`, value]] : [],
  );
}
