// Tokens of instructions that upstreams add to a request and count as input: the frame of a chat, and how to call tools.
// They are not in the request, so a hold covers the longest known ones.

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

/** `later`: tools that the conversation brings. */
export function hiddenTokens(body: JsonObject, later: readonly Json[]): number {
  const tools = listOf(body.tools);
  const functions = listOf(body.functions);
  if (tools.length + functions.length + later.length === 0 && !hasSchema(body)) return FRAME_TOKENS;
  const written = countWritten(tools) + countWritten(functions) + countWritten(later);
  return FRAME_TOKENS + TOOL_TOKENS + written * WRITTEN_TOKENS;
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

const NONE: readonly Json[] = [];

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : NONE;
}

function countWritten(tools: readonly Json[]): number {
  let count = 0;
  for (const tool of tools) if (isWritten(tool)) count++;
  return count;
}

function isWritten(tool: Json): boolean {
  return isObject(tool) && typeof tool.type === 'string' && WRITTEN.test(tool.type);
}
