// Settings of a client that are the same for every upstream: wrong values are refused, and those of a part or a tool are
// reported as dropped by formats that do not have them.

import { refuseField } from '../fields.ts';
import type { Conversation, Part, Setting, SettingKind } from './conversation.ts';

export const SAMPLING: ReadonlySet<SettingKind> = new Set([
  'temperature',
  'top_p',
  'frequency_penalty',
  'presence_penalty',
]);
const NUMBERS: ReadonlySet<SettingKind> = new Set([...SAMPLING, 'top_k', 'seed', 'top_logprobs']);

/** Throws a fault that names the first that must be a number and is none. */
export function checkSettings(settings: readonly Setting[]): void {
  for (const { kind, name, value } of settings) {
    if (NUMBERS.has(kind) && typeof value !== 'number') refuseField(name, `${name} must be a number.`);
  }
}

/** Several answers to one request exist in the chat format only. */
export function requireOneAnswer({ name, value }: Setting): void {
  if (value !== 1)
    refuseField(name, `This model gives one answer per request. Set ${name} to 1, and repeat the request for more.`);
}

/** The names of those of parts and tools. */
export function settingsOfParts({ turns }: Conversation, tools: readonly { strict: boolean | undefined }[]): string[] {
  return [
    ...(turns.some(({ parts }) => parts.some(isDetailed)) ? ['detail'] : []),
    ...(tools.some(({ strict }) => strict === true) ? ['strict'] : []),
  ];
}

function isDetailed(part: Part): boolean {
  if (part.type === 'tool_result') return part.content.some(isDetailed);
  return part.type === 'image' && (part.detail ?? 'auto') !== 'auto';
}
