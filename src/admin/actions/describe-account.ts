// The operator's nickname and note for an account. The customer never sees them.

import { checkBilling, readStatement, type Statement } from '../../accounts/statements.ts';
import { logLine } from './audit-log.ts';
import { readLine, readLines } from './read-input.ts';
import { invalid, notFound } from './refused.ts';
import type { Actor, OperatingTools, ReadingTools } from './tools.ts';

export const MAX_NICKNAME_CHARS = 60;
export const MAX_NOTE_CHARS = 1_000;

/** Left out: it stays. Null or empty: it is removed. */
interface Described {
  nickname?: string | null | undefined;
  note?: string | null | undefined;
  actor: Actor;
}

/** Refused: not_found, invalid. */
export async function describeAccount(tools: OperatingTools, accountId: string, { actor, ...given }: Described) {
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

/** Refused: not_found, invalid. */
export async function setBilling(
  tools: OperatingTools,
  accountId: string,
  { actor, ...said }: { name: string; taxId: string; actor: Actor },
) {
  const given = checkBilling(said);
  if ('wrong' in given) {
    if (given.wrong === 'name') throw invalid('name', 'must be a text of at most 100 characters');
    throw invalid('tax_id', 'must be a tax id of 8 digits with a right check digit');
  }
  const { store, clock } = tools;
  const log = logLine(tools, actor, 'accounts.billing', accountId, {
    has_name: given.name !== null,
    has_tax_id: given.taxId !== null,
  });
  const result = await store.commit('setBilling', { accountId, ...given, at: clock.now(), log });
  if (!result.ok) throw notFound(`account ${accountId}`);
  return given;
}

/** Refused: not_found. */
export async function showStatement(tools: ReadingTools, accountId: string, month: string): Promise<Statement> {
  const statement = await readStatement(tools, accountId, month);
  if (!statement) throw notFound(`statement ${month} of ${accountId}`);
  return statement;
}
