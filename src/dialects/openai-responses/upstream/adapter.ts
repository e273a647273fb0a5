// The Responses format as an upstream's, for clients of any other. A request is written here: text and calls of tools by
// write-turns.ts, tools and settings by write-settings.ts. Nothing is stored there, so the whole history is sent. An answer is
// read by read-events.ts, as a stream or whole, with the help of the same dialect's reader one folder up: which item an event is
// of in item-places.ts.

import { writeJson } from '../../../kit/json/raw-json.ts';
import { MIN_OUTPUT_TOKENS } from '../../../kit/tokens.ts';
import type { UpstreamFields } from '../../dialect.ts';
import type { BodyOptions, Target, UpstreamAdapter, WrittenRequest } from '../../translate/adapters.ts';
import { appendPrefill, arrangeTurns, listName, prepareBegunAnswer, withParts } from '../../translate/arrange-turns.ts';
import type { Conversation } from '../../translate/conversation.ts';
import { withUpstreamNames } from '../../translate/tools/tool-names.ts';
import { writeAsStream } from '../other-form.ts';
import { DROPPED_UNSEALED } from '../write-request.ts';
import { createEventReader, readWhole } from './read-events.ts';
import { writeFormat, writeReasoning, writeResponseSettings, writeResponseTools } from './write-settings.ts';
import { isWanted, writeTurn } from './write-turns.ts';

export const openaiResponsesUpstream: UpstreamAdapter = {
  takesInside: [],
  writeConversation,
  createEventReader,
  readWhole,
  writeAsStream,
};

function writeConversation(conversation: Conversation, target: Target): WrittenRequest {
  const { prefill, quirks, origin } = target;
  const tools = writeResponseTools(conversation, target);
  const named = withUpstreamNames(conversation, tools.names);
  const settings = writeResponseSettings(conversation, target);
  const reasoning = writeReasoning(conversation.reasoning, target);
  const instructions = named.system.map(({ text }) => text).filter((text) => text.trim() !== '');
  const usable = named.turns.map((turn) => withParts(turn, (part) => isWanted(part, origin)));
  const { turns, isReworded } = prepareBegunAnswer(arrangeTurns(usable, quirks, listName(usable)), prefill);
  // Written at once, so that a request that cannot be carried is refused before anything is sent.
  const input = turns.flatMap((turn) => writeTurn(turn, { quirks, names: tools.names }));
  const text = { ...writeFormat(conversation.format), ...settings.text };

  function body(fields: UpstreamFields, asked: BodyOptions): string {
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
