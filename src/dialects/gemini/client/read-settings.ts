// Settings of a request: those of `generationConfig`, each under its place there, and fields of the body that only Google knows.

import type { Json, JsonObject } from '../../../kit/json/json.ts';
import { isEmptySetting, refuseField } from '../../fields.ts';
import { isAsked } from '../../removals/removals.ts';
import type { OutputFormat, RequestedReasoning, Setting, SettingKind } from '../../translate/conversation.ts';
import { camelName, member, objectMember } from '../member.ts';
import { readSchema } from '../schema.ts';

const CONFIG = 'generationConfig';
const THINKING = `${CONFIG}.thinkingConfig`;

const KINDS: ReadonlyMap<string, SettingKind> = new Map([
  ['temperature', 'temperature'],
  ['topP', 'top_p'],
  ['topK', 'top_k'],
  ['stopSequences', 'stop'],
  ['seed', 'seed'],
  ['frequencyPenalty', 'frequency_penalty'],
  ['presencePenalty', 'presence_penalty'],
  ['responseLogprobs', 'logprobs'],
  ['logprobs', 'top_logprobs'],
  ['candidateCount', 'choices'],
]);

/** Members that are read elsewhere. */
const READ_ELSEWHERE: ReadonlySet<string> = new Set([
  ...['maxOutputTokens', 'thinkingConfig', 'responseMimeType', 'responseSchema', 'responseJsonSchema'],
  '_responseJsonSchema',
]);
const READ_IN_BODY: ReadonlySet<string> = new Set([
  ...['model', 'stream', 'alt', 'contents', 'systemInstruction', 'tools', 'toolConfig', CONFIG],
]);

export function readSettings(body: JsonObject): Setting[] {
  const config = configOf(body);
  refuseOtherAnswers(config);
  refuseCache(body);
  const inside = settingsOf(config, READ_ELSEWHERE).map(({ name, value }) => ({
    kind: KINDS.get(name) ?? ('other' as const),
    name: `${CONFIG}.${name}`,
    value,
  }));
  const beside = settingsOf(body, READ_IN_BODY).map((setting) => ({ kind: 'other' as const, ...setting }));
  return [...inside, ...beside];
}

function settingsOf(object: JsonObject, read: ReadonlySet<string>): { name: string; value: Json }[] {
  return Object.entries(object).flatMap(([written, value]) => {
    const name = camelName(written);
    if (read.has(name) || value === undefined || value === null || isEmptySetting(value)) return [];
    return isDefault(name, value) ? [] : [{ name, value }];
  });
}

/** Values that mean the same as omitting the field. */
function isDefault(name: string, value: Json): boolean {
  if (name === 'responseModalities') return Array.isArray(value) && value.every((one) => one === 'TEXT');
  return (name === 'candidateCount' && value === 1) || value === false;
}

/** Where a picture or speech was asked for, text alone is no answer. */
function refuseOtherAnswers(config: JsonObject): void {
  const modalities = member(config, 'responseModalities');
  const at = `${CONFIG}.responseModalities`;
  const hasOther = (name: string) => Array.isArray(modalities) && modalities.includes(name);
  if (hasOther('AUDIO')) refuseField(at, `This call answers only in text. Set ${at} to ["TEXT"].`);
  if (hasOther('IMAGE')) {
    refuseField(
      at,
      `This call answers only in text. Set ${at} to ["TEXT"], or make pictures at /v1/images/generations.`,
    );
  }
}

/** Refused, because without the cached beginning the prompt would be incomplete. */
function refuseCache(body: JsonObject): void {
  const at = 'cachedContent';
  if (isAsked(member(body, at)))
    refuseField(at, `${at} is not stored here. Remove it, and send all of the prompt in contents.`);
}

function configOf(body: JsonObject): JsonObject {
  return objectMember(body, CONFIG) ?? {};
}

function thinkingOf(body: JsonObject): JsonObject | undefined {
  return objectMember(configOf(body), 'thinkingConfig', THINKING);
}

export function showsThoughts(body: JsonObject): boolean {
  return member(thinkingOf(body) ?? {}, 'includeThoughts') === true;
}

const AS_MUCH_AS_IT_WANTS = -1;

export function readReasoning(body: JsonObject): RequestedReasoning | undefined {
  const thinking = thinkingOf(body);
  if (!thinking) return undefined;
  const given = member(thinking, 'thinkingBudget');
  const level = member(thinking, 'thinkingLevel');
  if (given !== undefined && (typeof given !== 'number' || !Number.isInteger(given) || given < AS_MUCH_AS_IT_WANTS)) {
    refuseField(`${THINKING}.thinkingBudget`, `${THINKING}.thinkingBudget must be a whole number from -1.`);
  }
  const budget = given === AS_MUCH_AS_IT_WANTS ? undefined : given;
  const effort = typeof level === 'string' && !level.endsWith('UNSPECIFIED') ? level.toLowerCase() : undefined;
  if (budget === undefined && effort === undefined && given === undefined) return undefined;
  return { name: THINKING, isOff: budget === 0, effort, budget: budget === 0 ? undefined : budget };
}

export function readFormat(body: JsonObject): OutputFormat | undefined {
  const config = configOf(body);
  const type = member(config, 'responseMimeType');
  if (type === undefined || type === 'text/plain') return undefined;
  if (type !== 'application/json') {
    const at = `${CONFIG}.responseMimeType`;
    const instead =
      type === 'text/x.enum' ? ' For one of several texts, use application/json with a schema that has enum.' : '';
    refuseField(at, `${at} must be text/plain or application/json for this model.${instead}`);
  }
  const own = member(config, 'responseSchema');
  const schema = member(config, 'responseJsonSchema') ?? config._responseJsonSchema ?? (own && readSchema(own));
  if (schema === undefined || schema === null) return { kind: 'json_object' };
  return { kind: 'json_schema', name: undefined, schema, strict: undefined };
}
