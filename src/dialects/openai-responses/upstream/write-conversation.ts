// Writes a conversation as the body for a Responses upstream. Nothing is stored there, so the whole history is sent.

import { writeJson } from '../../../kit/json/raw-json.ts';
import { MIN_OUTPUT_TOKENS } from '../../../kit/tokens.ts';
import type { UpstreamFields } from '../../dialect.ts';
import type { Target, WrittenRequest } from '../../translate/adapters.ts';
import { arrangeTurns, listName } from '../../translate/arrange-turns.ts';
import { appendPrefill, prepareBegunAnswer } from '../../translate/begun-answer.ts';
import type { Conversation, Turn } from '../../translate/conversation.ts';
import { withUpstreamNames } from '../../translate/tools/announce-tools.ts';
import { DROPPED_UNSEALED } from '../strip-own.ts';
import { writeFormat, writeReasoning, writeSettings, writeTools } from './write-settings.ts';
import { isOwnThought, writeTurn } from './write-turns.ts';

export function writeConversation(conversation: Conversation, target: Target): WrittenRequest {
  const { prefill, quirks } = target;
  const tools = writeTools(conversation, target);
  const named = withUpstreamNames(conversation, tools.names);
  const settings = writeSettings(conversation.settings, target);
  const reasoning = writeReasoning(conversation.reasoning, target);
  const instructions = named.system.map(({ text }) => text).filter((text) => text.trim() !== '');
  const { turns, isReworded } = prepareBegunAnswer(planTurns(named, target), prefill);
  // Written at once, so that a request that cannot be carried is refused before anything is sent.
  const input = turns.flatMap((turn) => writeTurn(turn, { quirks, names: tools.names }));
  const text = { ...writeFormat(conversation.format), ...settings.text };

  function body(fields: UpstreamFields, asked: { stream: boolean; prefill?: string | undefined }): string {
    const items = fields.withoutSealed ? input.filter(({ type }) => type !== 'reasoning') : input;
    return writeJson({
      model: fields.model,
      instructions: instructions.length > 0 ? instructions.join('\n\n') : undefined,
      input: asked.prefill === undefined ? items : appendPrefill(items, turns.at(-1), asked.prefill),
      ...tools.members,
      ...reasoning.members,
      ...settings.members,
      text: Object.keys(text).length > 0 ? text : undefined,
      max_output_tokens: Math.max(fields.maxOutputTokens, MIN_OUTPUT_TOKENS),
      store: false,
      stream: asked.stream,
    });
  }

  return {
    body,
    dropped: [...settings.dropped, ...reasoning.dropped, ...tools.dropped],
    droppedUnsealed: DROPPED_UNSEALED,
    reworded: isReworded ? ['prefill'] : [],
    names: tools.names,
    localStops: settings.localStops,
  };
}

/** Reasoning is sent back only to its own model, as it came. */
function planTurns({ turns }: Conversation, { origin, quirks }: Target): Turn[] {
  const usable = turns.map((turn) => ({
    ...turn,
    parts: turn.parts.filter((part) => part.type !== 'reasoning' || isOwnThought(part, origin)),
  }));
  const midSystem = quirks.midSystem === 'fold' ? 'fold' : 'keep';
  return arrangeTurns(usable, { midSystem }, listName(turns));
}
