// The readable text of a prompt: every text, name and number that a model may read, without media and syntax. Everything
// that is not a known setting counts, so that no vendor's field and no word of a schema is missed.

import { isObject, type Json, type JsonDocument, type JsonObject } from '../../kit/json/json.ts';
import { countTokens, type TokenCount } from '../../kit/tokens.ts';
import { PRICED_FIELDS } from '../removals/priced-fields.ts';

export type Prose = Pick<TokenCount, 'estimate' | 'lower'>;

/** Members of a body that every model reads. Their lower bound can refuse a request. */
const PROMPT: ReadonlySet<string> = new Set([
  ...['system', 'instructions', 'messages', 'input', 'tools', 'functions', 'response_format'],
  ...['contents', 'systemInstruction', 'system_instruction'],
]);

/** Members that no model reads: those that are removed, and settings. */
const SETTINGS: ReadonlySet<string> = new Set([
  ...PRICED_FIELDS.filter(({ rule }) => rule === 'dropped' || rule === 'set').map(({ name }) => name),
  ...['thinking', 'reasoning', 'reasoning_effort', 'verbosity', 'tool_choice', 'function_call', 'modalities', 'audio'],
  ...['stop', 'stop_sequences', 'stop_words', 'stop_regex', 'stop_token_ids', 'allowed_token_ids', 'bad_words'],
  ...['guided_json', 'guided_regex', 'guided_choice', 'guided_grammar', 'structured_outputs', 'grammar'],
  ...['logit_bias', 'truncation', 'transforms', 'image_config'],
  ...['metadata', 'client_metadata', 'user', 'safety_identifier', 'session_id', 'include', 'service_tier', 'usage'],
  ...['prompt_cache_key', 'prompt_cache_retention', 'prompt_cache_options', 'cache_control', 'context_management'],
  ...['mcp_servers', 'container', 'anthropic_version', 'anthropic_beta', 'betas', 'chat_template_kwargs'],
  ...['web_search_options', 'search_parameters', 'search_options', 'enable_search', 'web_search'],
]);

export function proseOf(document: JsonDocument, media: ReadonlySet<JsonObject>): Prose {
  const sum = { estimate: 0, lower: 0 };
  for (const [name, member] of Object.entries(document.value)) {
    // A number or flag of the body itself is a setting.
    if (SETTINGS.has(name) || !(typeof member === 'string' || isObject(member) || Array.isArray(member))) continue;
    const own = { estimate: 0, lower: 0 };
    addProse(member, own, media);
    sum.estimate += own.estimate;
    if (PROMPT.has(name)) sum.lower += own.lower;
  }
  return sum;
}

function addProse(value: Json | undefined, sum: Prose, media: ReadonlySet<JsonObject>): void {
  if (typeof value === 'string') {
    const { estimate, lower } = countTokens(value);
    sum.estimate += estimate;
    sum.lower += lower;
  } else if (Array.isArray(value)) {
    for (const item of value) addProse(item, sum, media);
  } else if (!isObject(value)) {
    if (value !== undefined && value !== null) sum.estimate += countTokens(String(value)).estimate;
  } else if (!media.has(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (isStructure(name, member)) continue;
      const sealed = typeof member === 'string' ? sealedTokens(value, name, member) : undefined;
      if (sealed !== undefined) sum.estimate += sealed;
      else {
        if (!HOLDERS.has(name)) sum.estimate += countTokens(name).estimate;
        addProse(member, sum, media);
      }
    }
  }
}

/** Their names are structure; their values are text. */
const HOLDERS: ReadonlySet<string> = new Set(['content', 'text']);
const WORD = /^[\w.:-]{1,64}$/;

/** Also checks the value, because in a schema or in a tool's arguments the same names are the client's own. */
function isStructure(name: string, member: Json | undefined): boolean {
  if (name === 'role' || name === 'type') return isWord(member);
  return name === 'cache_control' && isObject(member) && Object.values(member).every(isWord);
}

function isWord(value: Json | undefined): boolean {
  return typeof value === 'string' && WORD.test(value);
}

// Strings of a conversation that are not text. Encrypted content counts as its content, which is far less than its length.
// Ids are not read by a model.
const SEALED: ReadonlySet<string> = new Set(['encrypted_content', 'thought_signature']);
/** Encrypted in reasoning; elsewhere these members may be text. */
const SEALED_IN_THOUGHTS: ReadonlySet<string> = new Set(['signature', 'data']);
const THOUGHT = /^(?:thinking|redacted_thinking|reasoning(?:\..*)?)$/;
const IDS: ReadonlySet<string> = new Set(['id', 'call_id', 'tool_use_id', 'tool_call_id']);

/** Four letters are three bytes, and a token is about four bytes; half of the tokens are thoughts that still count. */
const TOKENS_PER_LETTER = 3 / 32;

/** ASCII without spaces: arguments of a tool may have the same names with text in them. */
const CODED = /^[!-~]*$/;

/** The estimated tokens of such a member; undefined if it is text. */
function sealedTokens({ type, role }: JsonObject, name: string, text: string): number | undefined {
  const isId = IDS.has(name) && typeof (type ?? role) === 'string';
  const isSealed = SEALED.has(name) || (SEALED_IN_THOUGHTS.has(name) && typeof type === 'string' && THOUGHT.test(type));
  if (!(isId || isSealed) || !CODED.test(text)) return undefined;
  return isId ? 0 : Math.ceil(text.length * TOKENS_PER_LETTER);
}
