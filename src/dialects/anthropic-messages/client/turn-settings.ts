// Settings of a message or a block instead of the request. An effort applies to the turns after it, so the last one applies
// to the answer; other formats have no field for the rest.

import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';
import { saysSomething } from '../../removals/priced-fields.ts';
import type { Setting } from '../../translate/conversation.ts';

interface TurnSettings {
  /** Of the answer that is asked for; undefined: no message says it. */
  effort: string | undefined;
  left: Setting[];
}

export const TURN_EFFORT = 'messages.output_config.effort';

export function readTurnSettings(messages: readonly JsonObject[]): TurnSettings {
  let effort: string | undefined;
  /** It waits for the user's next words. */
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

/** Results of tools go on with what was asked before. */
function hasNewWords({ role, content }: JsonObject): boolean {
  if (role !== 'user') return false;
  return !Array.isArray(content) || content.some((block) => isObject(block) && block.type !== 'tool_result');
}

/** Messages of the system come from the client alone; others may be answers that are sent back with all that was in them. */
function settingsOf(message: JsonObject): [string, Json][] {
  const { output_config: config } = message;
  const inside = isObject(config) ? named(config, 'messages.output_config') : [];
  if (message.role !== 'system') return inside;
  const { role: _role, content: _content, output_config: _config, ...others } = message;
  return [...inside, ...named(others, 'messages')];
}

/** Of a document or of what a search found, also in the result of a tool. */
function wantsCitations(content: Json | undefined): boolean {
  if (!Array.isArray(content)) return false;
  return content.some((block) => {
    if (!isObject(block)) return false;
    return (isObject(block.citations) && block.citations.enabled === true) || wantsCitations(block.content);
  });
}

function named(members: JsonObject, outer: string): [string, Json][] {
  return Object.entries(members).flatMap(([name, value]): [string, Json][] =>
    saysSomething(value) ? [[`${outer}.${name}`, value]] : [],
  );
}
