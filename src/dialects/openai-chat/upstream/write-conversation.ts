// Writes a conversation as the body for a chat upstream.

import { writeJson } from '../../../kit/json/raw-json.ts';
import type { UpstreamFields } from '../../dialect.ts';
import type { Target, WrittenRequest } from '../../translate/adapters.ts';
import { arrangeTurns, listName, withParts } from '../../translate/arrange-turns.ts';
import { appendPrefill, prepareBegunAnswer } from '../../translate/begun-answer.ts';
import type { Conversation, Turn } from '../../translate/conversation.ts';
import { withUpstreamNames } from '../../translate/tools/announce-tools.ts';
import { shareBound } from '../share-bound.ts';
import { answerResults, isWanted, type MessageOptions, writeSystem, writeTurn } from './write-messages.ts';
import { writeFormat, writeReasoning, writeSettings } from './write-settings.ts';
import { writeTools } from './write-tools.ts';

export function writeConversation(conversation: Conversation, target: Target): WrittenRequest {
  const { quirks, origin } = target;
  const tools = writeTools(conversation, quirks);
  const named = withUpstreamNames(conversation, tools.names);
  const settings = writeSettings(conversation.settings, target);
  const reasoning = writeReasoning(conversation.reasoning, target);
  const format = writeFormat(conversation.format, quirks);
  const options: MessageOptions = { quirks, names: tools.names, origin };
  const { turns, isReworded } = prepareBegunAnswer(planTurns(named, options), target.prefill);
  // Written at once, so that a request that cannot be carried is refused before anything is sent.
  const said = turns.flatMap((turn) => writeTurn(turn, options));
  const messages = [
    ...writeSystem([...named.system.map(({ text }) => text), ...format.hints]),
    ...(quirks.wantsAnswerToResults ? answerResults(said) : said),
  ];

  function body(fields: UpstreamFields, asked: { stream: boolean; prefill?: string | undefined }): string {
    const { answer, edits: shared } = shareBound({}, fields.maxOutputTokens, fields.thinksBeside);
    return writeJson({
      model: fields.model,
      messages: asked.prefill === undefined ? messages : appendPrefill(messages, turns.at(-1), asked.prefill),
      ...tools.members,
      ...format.members,
      ...reasoning.members,
      ...settings.members,
      [fields.limitField]: answer,
      ...shared,
      stream: asked.stream,
      stream_options: asked.stream ? { include_usage: true } : undefined,
    });
  }

  return {
    body,
    dropped: [...settings.dropped, ...reasoning.dropped, ...tools.dropped],
    reworded: isReworded ? ['prefill'] : [],
    names: tools.names,
    localStops: settings.localStops,
  };
}

function planTurns({ turns }: Conversation, options: MessageOptions): Turn[] {
  const usable = turns.map((turn) => withParts(turn, (part) => isWanted(part, options)));
  const midSystem = options.quirks.midSystem === 'fold' ? 'fold' : 'keep';
  return arrangeTurns(usable, { midSystem }, listName(turns));
}
