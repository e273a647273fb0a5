// Decides the demo's output for a request: a tool call, a JSON document, or plain text. Reads both formats.

import { isObject, type Json, type JsonObject, objectsOf } from '../../kit/json/json.ts';

type WantedOutput =
  | { kind: 'text' }
  /** Without a schema, any object will do. */
  | { kind: 'json'; schema: Json | undefined }
  | { kind: 'call'; tool: OfferedTool };

interface OfferedTool {
  name: string;
  schema: Json | undefined;
  /** Takes a text instead of an object. */
  isCustom: boolean;
}

/** The calls that a request allows. */
interface Choice {
  mode: 'none' | 'auto' | 'required';
  tools: readonly OfferedTool[];
}

export function wantedOutput(request: JsonObject): WantedOutput {
  const tool = toolToCall(readChoice(request), calledSinceUser(objectsOf(request.messages)));
  return tool ? { kind: 'call', tool } : readFormat(request);
}

/**
 * A single tool that may be called is called once for each message of the user; of several, none, since agents offer tools
 * with effects. Where a call is required, those not called yet come first.
 */
function toolToCall({ mode, tools }: Choice, called: ReadonlySet<string>): OfferedTool | undefined {
  const next = tools.find(({ name }) => !called.has(name));
  if (mode === 'required') return next ?? tools.at(-1);
  return mode === 'auto' && tools.length === 1 ? next : undefined;
}

function readChoice({ tools, tool_choice: choice }: JsonObject): Choice {
  const offered = objectsOf(tools).flatMap(readTool);
  const only = (names: readonly Json[]) => offered.filter(({ name }) => names.includes(name));
  if (choice === 'none' || choice === 'required') return { mode: choice, tools: offered };
  if (!isObject(choice)) return { mode: 'auto', tools: offered };
  if (choice.type === 'none') return { mode: 'none', tools: offered };
  if (choice.type === 'any') return { mode: 'required', tools: offered };
  if (choice.type === 'allowed_tools') {
    const allowed = isObject(choice.allowed_tools) ? choice.allowed_tools : choice;
    const names = objectsOf(allowed.tools).map((tool) => nameOf(tool) ?? null);
    return { mode: allowed.mode === 'required' ? 'required' : 'auto', tools: only(names) };
  }
  const name = nameOf(choice);
  return name === undefined ? { mode: 'auto', tools: offered } : { mode: 'required', tools: only([name]) };
}

/** Tools that the vendor runs are left out: they have neither fields of their own nor a schema. */
function readTool(tool: JsonObject): OfferedTool[] {
  const name = nameOf(tool);
  if (name === undefined) return [];
  if (isObject(tool.custom)) return [{ name, schema: undefined, isCustom: true }];
  if (isObject(tool.function)) return [{ name, schema: tool.function.parameters, isCustom: false }];
  return isObject(tool.input_schema) ? [{ name, schema: tool.input_schema, isCustom: false }] : [];
}

/** The name in a tool, a choice or a call, in either format. */
function nameOf({ function: called, custom, name }: JsonObject): string | undefined {
  const fields = isObject(called) ? called : isObject(custom) ? custom : { name };
  return typeof fields.name === 'string' ? fields.name : undefined;
}

function calledSinceUser(messages: readonly JsonObject[]): ReadonlySet<string> {
  const turn = messages.slice(messages.findLastIndex(isFromUser) + 1);
  const calls = turn.flatMap(({ content, tool_calls: calls }) => [
    ...objectsOf(calls),
    ...objectsOf(content).filter(({ type }) => type === 'tool_use'),
  ]);
  return new Set(calls.flatMap((call) => nameOf(call) ?? []));
}

/** Results of tools are also sent as the user. */
function isFromUser({ role, content }: JsonObject): boolean {
  return role === 'user' && !objectsOf(content).some(({ type }) => type === 'tool_result');
}

function readFormat({
  response_format: ofChat,
  output_config: config,
  output_format: older,
}: JsonObject): WantedOutput {
  const ofMessages = isObject(config) ? config.format : undefined;
  const format = [ofChat, ofMessages, older].find(isObject);
  if (format?.type === 'json_object') return { kind: 'json', schema: undefined };
  if (format?.type !== 'json_schema') return { kind: 'text' };
  return { kind: 'json', schema: isObject(format.json_schema) ? format.json_schema.schema : format.schema };
}
