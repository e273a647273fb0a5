// A client's functions, and the choice among them. Tools that Google runs itself exist nowhere else: they are reported as left
// out beside functions, and refused where they are all that could be called.

import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';
import { refuseField, stringAt } from '../../fields.ts';
import { refuseOnlyTool } from '../../input/vendor-tools.ts';
import type { Setting, Tool, ToolChoice } from '../../translate/conversation.ts';
import { camelName, member, objectMember, objectsAt } from '../member.ts';
import { readSchema } from '../schema.ts';

const FUNCTIONS = 'functionDeclarations';

export function readTools(body: JsonObject) {
  const tools: Tool[] = [];
  const left: { name: string; at: string }[] = [];
  for (const [index, tool] of objectsAt(body.tools, 'tools').entries()) {
    const at = `tools[${index}]`;
    for (const name of Object.keys(tool)) {
      if (tool[name] !== null && camelName(name) !== FUNCTIONS) left.push({ name: camelName(name), at });
    }
    for (const [place, declaration] of objectsAt(member(tool, FUNCTIONS), `${at}.${FUNCTIONS}`).entries()) {
      tools.push(readFunction(declaration, `${at}.${FUNCTIONS}[${place}]`));
    }
  }
  const config = objectMember(body, 'toolConfig') ?? {};
  const toolChoice = readChoice(objectMember(config, 'functionCallingConfig', CHOICE), tools);
  const [first] = left;
  if (first && tools.length === 0 && toolChoice?.mode !== 'none') refuseOnlyTool(first.name, first.at);
  const settings = Object.keys(config)
    .map(camelName)
    .filter((name) => name !== 'functionCallingConfig')
    .map((name) => `toolConfig.${name}`);
  const names = [...left.map(({ name }) => name), ...settings];
  return {
    tools,
    toolChoice: tools.length > 0 ? toolChoice : undefined,
    /** Tools that only Google runs, and settings of them. */
    left: names.map((name): Setting => ({ kind: 'other', name, value: true })),
  };
}

function readFunction(declaration: JsonObject, at: string): Tool {
  const { description } = declaration;
  const json = member(declaration, 'parametersJsonSchema');
  const own = member(declaration, 'parameters');
  for (const schema of [json, own]) {
    if (schema !== undefined && !isObject(schema))
      refuseField(`${at}.parameters`, `${at}.parameters must be a schema.`);
  }
  return {
    name: stringAt(declaration.name, `${at}.name`),
    description: typeof description === 'string' ? description : undefined,
    schema: json ?? (own === undefined ? undefined : readSchema(own)),
    strict: undefined,
    isCustom: false,
    at,
  };
}

const CHOICE = 'toolConfig.functionCallingConfig';

function readChoice(config: JsonObject | undefined, tools: readonly Tool[]): ToolChoice | undefined {
  if (!config) return undefined;
  const allowed = readAllowed(member(config, 'allowedFunctionNames'), tools);
  switch (config.mode) {
    case undefined:
    case null:
    case 'MODE_UNSPECIFIED':
      return undefined;
    case 'AUTO':
    case 'VALIDATED':
      return { mode: 'auto', allowed };
    case 'NONE':
      return { mode: 'none' };
    case 'ANY': {
      const [only, ...others] = allowed ?? [];
      return only !== undefined && others.length === 0 ? { mode: 'tool', name: only } : { mode: 'any', allowed };
    }
    default:
      return refuseField(`${CHOICE}.mode`, `${CHOICE}.mode must be one of AUTO, ANY, NONE, VALIDATED.`);
  }
}

function readAllowed(names: Json | undefined, tools: readonly Tool[]): string[] | undefined {
  if (!Array.isArray(names) || names.length === 0) return undefined;
  const known = new Set(tools.map(({ name }) => name));
  const at = `${CHOICE}.allowedFunctionNames`;
  return names.map((name, index) => {
    const found = stringAt(name, `${at}[${index}]`);
    return known.has(found) ? found : refuseField(`${at}[${index}]`, `${at} names a function that is not in tools.`);
  });
}
