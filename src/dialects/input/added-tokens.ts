// What a prompt may have beyond the text of its request, so that a hold covers it.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';

/**
 * The instructions of every chat (name, date, how to answer): 60 tokens at most, most of which the count of a message
 * covers. For a small wallet each of these tokens shortens the answer.
 */
const FRAME_TOKENS = 20;
/** Claude gets instructions how to call tools, of up to 346 tokens, and 30 % more by its newer tokenizer. */
const TOOL_TOKENS = 500;
/**
 * Tokens of a tool that the vendor defines and the client runs: 735 for a computer, 700 for an editor, and more with newer
 * tokenizers.
 */
const WRITTEN_TOKENS = 1_000;
const WRITTEN = /^(?:bash|text_editor|computer|browser|memory|tool_search|local_shell|shell|apply_patch)/;

/**
 * The longest known instructions that upstreams add to a request and count as input: the frame of a chat, and how to call tools.
 * `later`: tools that the conversation brings.
 */
export function hiddenTokens(body: JsonObject, later: readonly Json[]): number {
  const tools = [body.tools, body.functions].flatMap((list) => (Array.isArray(list) ? list : [])).concat(later);
  if (tools.length === 0 && !hasSchema(body)) return FRAME_TOKENS;
  return FRAME_TOKENS + TOOL_TOKENS + tools.filter(isWritten).length * WRITTEN_TOKENS;
}

/** A schema of the answer becomes a tool or an instruction for models without such a setting. */
function hasSchema({ response_format: chat, text, output_config: config, output_format: before }: JsonObject): boolean {
  return isSchema(chat) || isSchema(before) || isSchema(formatIn(text)) || isSchema(formatIn(config));
}

function formatIn(holder: Json | undefined): Json | undefined {
  return isObject(holder) ? holder.format : undefined;
}

function isSchema(format: Json | undefined): boolean {
  return isObject(format) && format.type === 'json_schema';
}

function isWritten(tool: Json): boolean {
  return isObject(tool) && typeof tool.type === 'string' && WRITTEN.test(tool.type);
}

/** Members of a body that hold schemas, in any format. */
const SCHEMA_HOLDERS = ['tools', 'functions', 'response_format', 'text', 'output_config', 'output_format'];

/**
 * The most characters by which numbers in schemas can grow. Translations write schemas anew from their values, and numbers with
 * all their digits: `1e20` becomes 21 of them, more than the source from which the upper bound of the input is counted. `later`:
 * tools that the conversation defines.
 */
export function addedDigits(body: JsonObject, later: readonly Json[]): number {
  return growthIn(SCHEMA_HOLDERS.map((name) => body[name] ?? null)) + growthIn([...later]);
}

function growthIn(value: Json | undefined): number {
  if (typeof value === 'number') return growthOf(value);
  let sum = 0;
  if (Array.isArray(value)) for (const item of value) sum += growthIn(item);
  else if (isObject(value)) for (const name of Object.keys(value)) sum += growthIn(value[name]);
  return sum;
}

/** A shorter number has no shorter form that matters. */
const SHORT_CHARS = 5;

function growthOf(value: number): number {
  const written = JSON.stringify(value);
  return written.length < SHORT_CHARS ? 0 : Math.max(0, written.length - shortestForm(value).length);
}

/** All its digits as a whole number, and the exponent: no JSON number of this value is shorter, unless it has no exponent. */
function shortestForm(value: number): string {
  const [mantissa = '', exponent] = value.toExponential().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return `${whole}${fraction}e${Number(exponent) - fraction.length}`;
}
