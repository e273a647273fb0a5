// The Anthropic messages format as an upstream's, for clients of any other. A request is written here and by the write-… files
// beside it. An answer is read by read-events.ts, as a stream or whole, and in several turns where the upstream pauses it; its
// blocks by read-answer-blocks.ts.

import { type RawValue, writeJson } from '../../../kit/json/raw-json.ts';
import { type ClaudeTraits, claudeTraits } from '../../../vendors/claude.ts';
import type { UpstreamFields } from '../../dialect.ts';
import type { BodyOptions, Target, UpstreamAdapter, WrittenRequest } from '../../translate/adapters.ts';
import {
  arrangeTurns,
  beginWithUser,
  isAnswerBegun,
  mergeTurns,
  prepareBegunAnswer,
} from '../../translate/arrange-turns.ts';
import { settingsOfParts } from '../../translate/check-settings.ts';
import type { Conversation, Part, Turn } from '../../translate/conversation.ts';
import { allowedTools, createToolNames, withUpstreamNames } from '../../translate/tools/tool-names.ts';
import { hostedFields } from '../hosted-fields.ts';
import { writeAsStream } from '../other-form.ts';
import { THINKING_BLOCKS } from '../remove-thinking.ts';
import { ID_CHARS } from '../shown-ids.ts';
import { cacheMember, chooseMarks } from './cache-marks.ts';
import { createEventReader, mayBePaused, readTurn, readWhole } from './read-events.ts';
import { planFormat } from './write-format.ts';
import { planReasoning, thinkingOff, writeSettings } from './write-settings.ts';
import { writeTool, writeToolChoice } from './write-tools.ts';
import { type Message, type TurnOptions, writeTurn } from './write-turns.ts';

const NAME_CHARS = 64;
const MAX_ID_CHARS = 256;

export const anthropicMessagesUpstream: UpstreamAdapter = {
  takesInside: [],
  writeConversation,
  createEventReader,
  readWhole,
  writeAsStream,
  turns: { mayBePaused, readTurn },
};

function writeConversation(conversation: Conversation, target: Target): WrittenRequest {
  const { reasoning: requested } = conversation;
  const traits = claudeTraits(target.model);
  const takesPrefill = traits.takesPrefill || target.prefill;
  const tools = allowedTools(conversation);
  const names = createToolNames(tools, ID_CHARS, NAME_CHARS);
  const named = withUpstreamNames(conversation, names);
  const plan = planTurns(named, { ...traits, takesPrefill, origin: target.origin });
  const format = planFormat(conversation, { traits, names });
  const { choice, isForced, hints, ...lost } = writeToolChoice(conversation, {
    names,
    formatTool: format.tool?.name,
    hasTools: tools.length > 0,
    takesForcedTools: traits.takesForcedTools,
  });
  const reasoning = planReasoning(conversation, traits, {
    isForced,
    isPrefilled: plan.isPrefilled,
    lacksThoughts: lacksThoughts(plan.turns),
    maxOutputTokens: target.maxOutputTokens,
  });
  const settings = writeSettings(conversation.settings, {
    traits,
    isThinking: reasoning.isOn,
    isToolsArguments: format.tool !== undefined,
    hashUser: target.hashUser,
  });
  const system = [...plan.system, ...format.hints, ...hints];
  const declared = format.tool ? [...tools, format.tool] : tools;
  const marks = chooseMarks({ tools: declared, system, turns: plan.turns }, conversation.caching);
  const options = { marks, names, writeId: createToolNames([], ID_CHARS, MAX_ID_CHARS).toUpstream };
  const writtenTools = declared.map((tool) => writeTool(tool, names, marks));
  // Written at once, so that a request that cannot be carried is refused before anything is sent.
  const written = plan.turns.map((turn) => writeTurn(turn, options));
  // Then the thoughts that the vendor requires would be missing.
  const stopsUnsealed = traits.thinking === 'budget' && reasoning.isOn && isInLoop(plan.turns);

  function begun({ prefill, turns }: BodyOptions, withoutSealed: boolean): Message[] {
    const messages = withoutSealed ? withoutThoughts(plan.turns).map((turn) => writeTurn(turn, options)) : written;
    if (turns) return appendTurns(messages, turns);
    return prefill === undefined ? messages : appendPrefill(messages, plan.turns.at(-1), prefill, options);
  }

  function body(fields: UpstreamFields, asked: BodyOptions): string {
    const { thinking, effort } = reasoning.members(fields);
    const { withoutSealed = false } = fields;
    // A prefilled answer excludes thinking.
    const stops = (asked.prefill !== undefined && reasoning.isOn) || (withoutSealed && stopsUnsealed);
    const config = { ...(effort === undefined ? {} : { effort }), ...format.config };
    return writeJson({
      model: fields.model,
      max_tokens: fields.maxOutputTokens,
      system: listOf(system.map((part) => ({ type: 'text', text: part.text, ...cacheMember(marks.get(part)) }))),
      messages: begun(asked, withoutSealed),
      tools: listOf(writtenTools),
      tool_choice: choice,
      thinking: stops ? thinkingOff(traits).thinking : thinking,
      output_config: Object.keys(config).length > 0 ? config : undefined,
      ...settings.members,
      stream: asked.stream,
      ...hostedFields(fields),
    });
  }

  return {
    body,
    dropped: [...settings.dropped, ...reasoning.dropped, ...lost.dropped, ...settingsOfParts(conversation, tools)],
    droppedAt: reasoning.droppedAt,
    droppedUnsealed: [THINKING_BLOCKS, ...(stopsUnsealed && requested ? [requested.name] : [])],
    reworded: [...(plan.isReworded ? ['prefill'] : []), ...(format.isReworded ? ['response_format'] : [])],
    names,
    formatTool: format.tool?.name,
    localStops: settings.localStops,
  };
}

function listOf(items: RawValue[]): RawValue[] | undefined {
  return items.length > 0 ? items : undefined;
}

/** Appends the blocks of a paused answer, in one message with the client's own prefill. */
function appendTurns(messages: readonly Message[], turns: readonly RawValue[]): Message[] {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return [...messages, { role: 'assistant', content: [...turns] }];
  return [...messages.slice(0, -1), { role: 'assistant', content: [...last.content, ...turns] }];
}

/** Appends the answer so far to the client's own prefill; the vendor refuses white space at its end. */
function appendPrefill(
  messages: readonly Message[],
  last: Turn | undefined,
  text: string,
  options: TurnOptions,
): Message[] {
  const begun = last?.role === 'assistant' ? last : undefined;
  const lastPart = begun?.parts.at(-1);
  const before = lastPart?.type === 'text' ? lastPart.text : '';
  const kept = before === '' ? (begun?.parts ?? []) : (begun?.parts.slice(0, -1) ?? []);
  const words = `${before}${text}`.trimEnd();
  if (words === '') return [...messages];
  const turn: Turn = { role: 'assistant', parts: [...kept, { type: 'text', text: words, at: '' }], at: '' };
  return [...(begun ? messages.slice(0, -1) : messages), writeTurn(turn, options)];
}

function withoutThoughts(turns: readonly Turn[]): Turn[] {
  const bare = turns.map((turn) => ({ ...turn, parts: turn.parts.filter(({ type }) => type !== 'reasoning') }));
  return mergeTurns(bare.filter(({ parts }) => parts.length > 0));
}

/** Whether the turn with the last calls does not begin with the model's own reasoning. */
function lacksThoughts(turns: readonly Turn[]): boolean {
  const calling = turns.findLast(({ role }) => role === 'assistant');
  return isInLoop(turns) && calling?.parts[0]?.type !== 'reasoning';
}

/** Whether the conversation ends with results of calls. */
function isInLoop(turns: readonly Turn[]): boolean {
  return turns.at(-1)?.parts.some(({ type }) => type === 'tool_result') ?? false;
}

type TurnTraits = Pick<ClaudeTraits, 'takesMidSystem' | 'takesPrefill' | 'checksSignatures'> & Pick<Target, 'origin'>;

/**
 * Arranges the turns for the vendor. System turns stay only where they are allowed. A prefilled answer is sent as it is or, if
 * the model refuses prefills, replaced by a request of the user to continue it.
 */
function planTurns({ system, turns }: Conversation, traits: TurnTraits) {
  const usable = turns.map((turn) => (isPlain(turn) ? turn : { ...turn, parts: usableParts(turn.parts, traits) }));
  const midSystem = traits.takesMidSystem ? 'keep' : 'fold';
  const arranged = arrangeTurns(usable, { midSystem });
  const isBegun = isAnswerBegun(arranged.at(-1));
  const { turns: ended, isReworded } = prepareBegunAnswer(arranged, traits.takesPrefill);
  const placed = ended.map((turn, index) => placeSystem(turn, ended[index - 1], ended[index + 1]));
  return {
    system: system.filter(({ text }) => text.trim() !== ''),
    turns: beginWithUser(mergeTurns(placed)),
    /** The last turn is the assistant's, to be continued. */
    isPrefilled: isBegun && !isReworded,
    isReworded,
  };
}

/** All of its parts are sent. */
function isPlain({ parts }: Turn): boolean {
  return parts.every((part) => part.type !== 'reasoning' && !isBlank(part));
}

function usableParts(parts: readonly Part[], traits: TurnTraits): Part[] {
  const placed = traits.checksSignatures ? withoutMoved(parts) : parts;
  return placed.filter((part) => isUsable(part, traits));
}

/**
 * A signature is valid only if everything before its thought is sent, too. So after the first part that is left out, no thought
 * is sent. Thoughts at the end are left out as well, because the vendor refuses them.
 */
function withoutMoved(parts: readonly Part[]): Part[] {
  const end = parts.findLastIndex((part) => part.type !== 'reasoning' && !isBlank(part)) + 1;
  let isMoved = false;
  return parts.filter((part, index) => {
    isMoved ||= part.type === 'reasoning' ? part.isMoved === true : isBlank(part);
    return part.type !== 'reasoning' || (!isMoved && index < end);
  });
}

function isBlank(part: Part): boolean {
  return part.type === 'text' && part.text.trim() === '';
}

/** The vendor refuses blank text, thoughts of other models and incomplete thoughts. */
function isUsable(part: Part, { origin, checksSignatures }: TurnTraits): boolean {
  if (part.type !== 'reasoning') return !isBlank(part);
  const { opaque, redacted } = part;
  return opaque?.origin === origin && (redacted !== undefined || opaque.value !== '' || !checksSignatures);
}

/** A system turn is allowed after a user turn, if it is the last or an assistant turn follows; elsewhere it becomes a user turn. */
function placeSystem(turn: Turn, before: Turn | undefined, after: Turn | undefined): Turn {
  if (turn.role !== 'system') return turn;
  const mayStay = before?.role === 'user' && (after === undefined || after.role === 'assistant');
  const isText = turn.parts.every(({ type }) => type === 'text');
  return mayStay && isText ? turn : { ...turn, role: 'user' };
}
