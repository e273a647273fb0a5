// The Responses format as an upstream's, for clients of any other. A request is written here. Nothing is stored there, so the
// whole history is sent. An answer is read by read-events.ts, as a stream or whole, with the help of the same dialect's reader
// one folder up: which item an event is of in item-places.ts.

import { createHash } from 'node:crypto';
import { type RawValue, writeJson } from '../../../kit/json/raw-json.ts';
import { MIN_OUTPUT_TOKENS } from '../../../kit/tokens.ts';
import { effortsOf, openaiTraits } from '../../../vendors/openai.ts';
import type { Quirks } from '../../../vendors/quirks.ts';
import type { UpstreamFields } from '../../dialect.ts';
import { refuseField } from '../../fields.ts';
import { addressOf } from '../../media/read-media.ts';
import type { BodyOptions, Target, UpstreamAdapter, WrittenRequest } from '../../translate/adapters.ts';
import { appendPrefill, arrangeTurns, prepareBegunAnswer, withParts } from '../../translate/arrange-turns.ts';
import { asFailure, FAILED, refuseKind, reportsFailure, textOfPart } from '../../translate/as-text.ts';
import type {
  Conversation,
  DocumentPart,
  OutputFormat,
  Part,
  RequestedReasoning,
  SettingKind,
  ToolResultPart,
  Turn,
} from '../../translate/conversation.ts';
import { effortFor } from '../../translate/effort.ts';
import { type Written, writeSettings } from '../../translate/openai-settings.ts';
import { writeTools } from '../../translate/tools/openai-tools.ts';
import { objectArguments } from '../../translate/tools/tool-arguments.ts';
import { type ToolNames, withUpstreamNames } from '../../translate/tools/tool-names.ts';
import { writeAsStream } from '../other-form.ts';
import { DROPPED_UNSEALED } from '../write-request.ts';
import { createEventReader, readWhole } from './read-events.ts';

export const openaiResponsesUpstream: UpstreamAdapter = {
  takesInside: [],
  writeConversation,
  createEventReader,
  readWhole,
  writeAsStream,
};

/** It has no field for stop sequences, so the gateway matches these itself. */
const SETTINGS = {
  carried: new Set<SettingKind>(['temperature', 'top_p', 'prompt_cache_key', 'service_tier', 'verbosity', 'user']),
  userField: 'safety_identifier',
  mostStops: 0,
};

function writeConversation(conversation: Conversation, target: Target): WrittenRequest {
  const { prefill, quirks, origin } = target;
  const tools = writeTools(conversation, quirks, {
    wrap: (fields) => ({ type: 'function', ...fields }),
    notStrict: false,
  });
  const named = withUpstreamNames(conversation, tools.names);
  const settings = writeSettings(conversation.settings, target, SETTINGS);
  const { verbosity, ...others } = settings.members;
  const reasoning = writeReasoning(conversation.reasoning, target);
  const instructions = named.system.map(({ text }) => text).filter((text) => text.trim() !== '');
  const usable = named.turns.map((turn) => withParts(turn, (part) => isWanted(part, origin)));
  const { turns, isReworded } = prepareBegunAnswer(arrangeTurns(usable, quirks), prefill);
  // Written at once, so that a request that cannot be carried is refused before anything is sent.
  const input = turns.flatMap((turn) => writeTurn(turn, quirks, tools.names));
  const text = { ...writeFormat(conversation.format), ...(verbosity === undefined ? {} : { verbosity }) };

  function body(fields: UpstreamFields, asked: BodyOptions): string {
    const items = fields.withoutSealed ? input.filter(({ type }) => type !== 'reasoning') : input;
    return writeJson({
      model: fields.model,
      instructions: instructions.length > 0 ? instructions.join('\n\n') : undefined,
      input: asked.prefill === undefined ? items : appendPrefill(items, turns.at(-1), asked.prefill),
      ...tools.members,
      ...reasoning.members,
      ...others,
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

function writeFormat(format: OutputFormat | undefined): Written['members'] {
  if (!format) return {};
  if (format.kind === 'json_object') return { format: { type: 'json_object' } };
  const { name = 'output', description, schema, strict } = format;
  return { format: { type: 'json_schema', name, description, schema, strict } };
}

/** Reasoning is requested encrypted, to be sent back. A summary is not requested: OpenAI refuses the call if the organization is
 * not verified. */
function writeReasoning(requested: RequestedReasoning | undefined, { quirks, model }: Target): Written {
  const { takesEffort, alwaysThinks } = openaiTraits(model);
  const word = requested && effortFor(requested, effortsOf(quirks, model));
  const include = ['reasoning.encrypted_content'];
  if (alwaysThinks) return { members: { include }, dropped: requested && word !== undefined ? [requested.name] : [] };
  if (!quirks.takesEffort || !takesEffort)
    return { members: {}, dropped: requested && !requested.isOff ? [requested.name] : [] };
  return { members: { include, reasoning: word === undefined ? undefined : { effort: word } }, dropped: [] };
}

type Item = { [name: string]: RawValue | undefined };

function writeTurn(turn: Turn, { midSystem }: Quirks, names: ToolNames): Item[] {
  if (turn.role === 'assistant') return writeAssistant(turn.parts, names);
  const results = turn.parts.filter((part) => part.type === 'tool_result');
  const said = turn.parts.filter((part) => part.type !== 'tool_result').map(writePart);
  const role = turn.role === 'system' ? midSystem : 'user';
  return [...results.map(writeResult), ...(said.length > 0 ? [{ role, content: said }] : [])];
}

/** Reasoning is sent back only to the very model that sealed it, as it came. */
function isWanted(part: Part, origin: string): boolean {
  return part.type !== 'reasoning' || (part.opaque?.origin === origin && part.opaque.value !== '');
}

/** In the model's order: reasoning comes right before the content that followed it. */
function writeAssistant(parts: readonly Part[], names: ToolNames): Item[] {
  return parts.map((part) => {
    switch (part.type) {
      case 'tool_call': {
        const { id, name } = part;
        const call = { call_id: writeCallId(id), name: names.toUpstream(name), arguments: objectArguments(part) };
        return { type: 'function_call', ...call };
      }
      case 'reasoning': {
        const summary = part.text === '' ? [] : [{ type: 'summary_text', text: part.text }];
        return { type: 'reasoning', summary, encrypted_content: part.opaque?.value };
      }
      default: {
        const text = textOfPart(part) ?? refuseField(part.at, `${part.at} is not text. Remove it, or make it text.`);
        return { role: 'assistant', content: [{ type: 'output_text', text }] };
      }
    }
  });
}

function writeResult({ callId, content, isError }: ToolResultPart): Item {
  const parts = content.map(writePart);
  const texts = content.flatMap((part) => textOfPart(part) ?? []);
  const type = 'function_call_output';
  const call_id = writeCallId(callId);
  if (texts.length < parts.length) {
    const failed = isError && !texts.some(reportsFailure) ? [{ type: 'input_text', text: FAILED }] : [];
    return { type, call_id, output: [...failed, ...parts] };
  }
  const text = texts.join('\n');
  return { type, call_id, output: isError ? asFailure(text) : text };
}

function writePart(part: Part): Item {
  const text = textOfPart(part);
  if (text !== undefined) return { type: 'input_text', text };
  switch (part.type) {
    case 'image':
      return { type: 'input_image', image_url: addressOf(part.source), detail: part.detail ?? 'auto' };
    case 'document':
      return writeFile(part);
    default:
      return refuseKind(part);
  }
}

function writeFile({ source, title }: DocumentPart): Item {
  if (source.kind === 'url') return { type: 'input_file', file_url: source.url };
  if (source.kind === 'text') return { type: 'input_text', text: source.text };
  return { type: 'input_file', filename: title ?? 'document.pdf', file_data: addressOf(source) };
}

const MAX_ID_CHARS = 64;

/** The same id gives the same one each time: a call and its result must find each other. */
function writeCallId(id: string): string {
  return id.length <= MAX_ID_CHARS ? id : `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}
