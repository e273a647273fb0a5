// The operator's nickname and note for an account. The customer never sees them.

import { logLine } from './audit-log.ts';
import { readLine, readLines } from './read-input.ts';
import { notFound } from './refused.ts';
import type { Actor, OperatingTools } from './tools.ts';

export const MAX_NICKNAME_CHARS = 60;
export const MAX_NOTE_CHARS = 1_000;

interface Described {
  /** Left out: it stays. Null or empty: it is removed. */
  nickname?: string | null | undefined;
  note?: string | null | undefined;
  actor: Actor;
}

/** Refused: not_found, invalid. */
export async function describeAccount(
  tools: OperatingTools,
  accountId: string,
  { actor, ...given }: Described,
): Promise<void> {
  const nickname = readOptional(given.nickname, (text) => readLine(text, 'nickname', MAX_NICKNAME_CHARS));
  const note = readOptional(given.note, (text) => readLines(text, 'note', MAX_NOTE_CHARS));
  const detail = {
    ...(nickname === undefined ? {} : { nickname }),
    // The log is kept for ever: a note that was removed must not stay in it.
    ...(note === undefined ? {} : { note: note === null ? 'removed' : 'changed' }),
  };
  const log = logLine(tools, actor, 'accounts.describe', accountId, detail);
  const { ok } = await tools.store.commit('describeAccount', { accountId, nickname, note, log });
  if (!ok) throw notFound(`account ${accountId}`);
}

function readOptional(text: string | null | undefined, read: (text: string) => string): string | null | undefined {
  if (text === undefined) return undefined;
  return text === null || text.trim() === '' ? null : read(text);
}
