// Settings that are numbers in every dialect: anything else is refused, not dropped.

import { refuseField } from '../fields.ts';
import type { Setting, SettingKind } from './conversation.ts';

const NUMBERS: ReadonlySet<SettingKind> = new Set([
  'temperature',
  'top_p',
  'top_k',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'top_logprobs',
]);

/** Throws a fault that names the first of them. */
export function checkSettings(settings: readonly Setting[]): void {
  for (const { kind, name, value } of settings) {
    if (NUMBERS.has(kind) && typeof value !== 'number') refuseField(name, `${name} must be a number.`);
  }
}
