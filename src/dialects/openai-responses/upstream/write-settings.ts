// Writes the tools, the format, the thinking and the settings of a request for a Responses upstream. It has no field for stop
// sequences, so the gateway matches these itself.

import type { Json } from '../../../kit/json/json.ts';
import type { RawValue } from '../../../kit/json/raw-json.ts';
import { effortsOf, openaiTraits } from '../../../vendors/openai.ts';
import { PLAIN_TIERS } from '../../removals/priced-fields.ts';
import { isListedTier } from '../../removals/remove-fields.ts';
import type { Target } from '../../translate/adapters.ts';
import type {
  Conversation,
  OutputFormat,
  ReasoningWish,
  Setting,
  SettingKind,
  Tool,
} from '../../translate/conversation.ts';
import { effortFor } from '../../translate/effort.ts';
import { requireOneAnswer } from '../../translate/one-answer.ts';
import { splitStops } from '../../translate/stop-sequences.ts';
import { allowedTools } from '../../translate/tools/allowed-tools.ts';
import { createOpenaiNames } from '../../translate/tools/openai-tools.ts';
import { objectSchema } from '../../translate/tools/tool-arguments.ts';
import type { ToolNames } from '../../translate/tools/tool-names.ts';

type Members = { [name: string]: RawValue | undefined };

interface Written {
  members: Members;
  dropped: string[];
}

export function writeTools(conversation: Conversation, { quirks }: Target): Written & { names: ToolNames } {
  const { tools, toolChoice, parallelTools, parallelToolsName } = conversation;
  const names = createOpenaiNames(tools);
  if (tools.length === 0) return { members: {}, dropped: [], names };
  return {
    members: {
      tools: allowedTools(conversation).map((tool) => writeTool(tool, names)),
      tool_choice: writeChoice(toolChoice, names),
      parallel_tool_calls: quirks.takesParallelFlag ? parallelTools : undefined,
    },
    dropped: parallelToolsName && parallelTools === false && !quirks.takesParallelFlag ? [parallelToolsName] : [],
    names,
  };
}

/** `strict` is on by default, which schemas of other formats do not support. */
function writeTool(tool: Tool, names: ToolNames): RawValue {
  return {
    type: 'function',
    name: names.toUpstream(tool.name),
    description: tool.description,
    parameters: objectSchema(tool),
    strict: tool.strict === true,
  };
}

function writeChoice(choice: Conversation['toolChoice'], names: ToolNames): RawValue | undefined {
  if (!choice) return undefined;
  if (choice.mode === 'tool') return { type: 'function', name: names.toUpstream(choice.name) };
  return choice.mode === 'any' ? 'required' : choice.mode;
}

export function writeFormat(format: OutputFormat | undefined): Members {
  if (!format) return {};
  if (format.kind === 'json_object') return { format: { type: 'json_object' } };
  const { name = 'output', description, schema, strict } = format;
  return { format: { type: 'json_schema', name, description, schema, strict } };
}

/** Reasoning is requested encrypted, to be sent back. A summary is not requested: OpenAI refuses the call if the organization is
 * not verified. */
export function writeReasoning(wish: ReasoningWish | undefined, { quirks, model }: Target): Written {
  const { takesEffort, alwaysThinks } = openaiTraits(model);
  const word = wish && effortFor(wish, effortsOf(quirks, model));
  const include = ['reasoning.encrypted_content'];
  if (alwaysThinks) return { members: { include }, dropped: wish && word !== undefined ? [wish.name] : [] };
  if (!quirks.takesEffort || !takesEffort) return { members: {}, dropped: wish && !wish.isOff ? [wish.name] : [] };
  return { members: { include, reasoning: word === undefined ? undefined : { effort: word } }, dropped: [] };
}

interface WrittenSettings extends Written {
  /** Members of `text`. */
  text: Members;
  localStops: string[];
}

const SAMPLING: ReadonlySet<SettingKind> = new Set(['temperature', 'top_p']);

export function writeSettings(settings: readonly Setting[], target: Target): WrittenSettings {
  const { quirks, model, hashUser, serviceTiers } = target;
  const written: WrittenSettings = { members: {}, text: {}, dropped: [], localStops: [] };
  const { takesSampling } = openaiTraits(model);

  function carry(setting: Setting): boolean {
    const { kind, value } = setting;
    if (kind === 'choices') {
      requireOneAnswer(setting);
      return true;
    }
    if (kind === 'stop') {
      written.localStops = splitStops(setting, 0).local;
      return true;
    }
    if (quirks.refuses.includes(kind)) return false;
    if (SAMPLING.has(kind) && !takesSampling) return value === 1;
    if (kind === 'user' && typeof value === 'string') return set('safety_identifier', hashUser(value));
    if (kind === 'verbosity') {
      written.text.verbosity = value;
      return true;
    }
    const isTier = kind === 'service_tier' && (PLAIN_TIERS.has(value) || isListedTier(value, serviceTiers));
    const isCarried = SAMPLING.has(kind) || kind === 'prompt_cache_key' || isTier;
    return isCarried && set(kind, value);
  }

  /** The first of two with one meaning counts. */
  function set(name: string, value: Json): boolean {
    if (written.members[name] !== undefined) return false;
    written.members[name] = value;
    return true;
  }

  for (const setting of settings) if (!carry(setting)) written.dropped.push(setting.name);
  return written;
}
