// The OpenAI chat format as an upstream's, for clients of any other. A request is written here: text and calls of tools by
// write-messages.ts, the rest by write-settings.ts. An answer is read by read-events.ts, as a stream or whole: what a delta says
// in read-delta.ts, which call it is of in call-slots.ts.

import { writeJson } from '../../../kit/json/raw-json.ts';
import type { UpstreamFields } from '../../dialect.ts';
import type { BodyOptions, Target, UpstreamAdapter, WrittenRequest } from '../../translate/adapters.ts';
import { appendPrefill, arrangeTurns, listName, prepareBegunAnswer, withParts } from '../../translate/arrange-turns.ts';
import type { Conversation } from '../../translate/conversation.ts';
import { withUpstreamNames } from '../../translate/tools/tool-names.ts';
import { writeAsStream } from '../other-form.ts';
import { shareBound } from '../share-bound.ts';
import { createEventReader, readWhole } from './read-events.ts';
import { answerResults, isWanted, type MessageOptions, writeSystem, writeTurn } from './write-messages.ts';
import { writeChatSettings, writeChatTools, writeFormat, writeReasoning } from './write-settings.ts';

export const openaiChatUpstream: UpstreamAdapter = {
  takesInside: ['document'],
  writeConversation,
  createEventReader,
  readWhole,
  writeAsStream,
};

function writeConversation(conversation: Conversation, target: Target): WrittenRequest {
  const { quirks, origin, prefill } = target;
  const tools = writeChatTools(conversation, quirks);
  const named = withUpstreamNames(conversation, tools.names);
  const settings = writeChatSettings(conversation, target);
  const reasoning = writeReasoning(conversation.reasoning, target);
  const format = writeFormat(conversation.format, quirks);
  const options: MessageOptions = { quirks, names: tools.names, origin };
  const usable = named.turns.map((turn) => withParts(turn, (part) => isWanted(part, options)));
  const { turns, isReworded } = prepareBegunAnswer(arrangeTurns(usable, quirks, listName(usable)), prefill);
  // Written at once, so that a request that cannot be carried is refused before anything is sent.
  const said = turns.flatMap((turn) => writeTurn(turn, options));
  const messages = [
    ...writeSystem([...named.system.map(({ text }) => text), ...format.hints]),
    ...(quirks.wantsAnswerToResults ? answerResults(said) : said),
  ];

  function body(fields: UpstreamFields, asked: BodyOptions): string {
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
