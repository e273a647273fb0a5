// How many more tokens a model's tokenizer yields than common ones, by its name at the upstream.

import { NEWEST_NAMES, versionOf } from './claude.ts';

/** The vendor states about 30 % more since Opus 4.7, and version 5 of the others. */
const NEWER_OPUS = 407;
const NEWER_CLAUDE = 500;

export function tokenizerFactor(model: string): number {
  const name = model.toLowerCase();
  const newer = name.includes('claude-opus') ? NEWER_OPUS : NEWER_CLAUDE;
  return NEWEST_NAMES.test(name) || (versionOf(name) ?? 0) >= newer ? 1.3 : 1;
}
