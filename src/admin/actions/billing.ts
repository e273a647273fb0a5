// The billing details of an account, set by the operator. The log names the fields that were set, never their values.

import { checkBilling, readStatement, type Statement } from '../../accounts/statements.ts';
import { logLine } from './audit-log.ts';
import { invalid, notFound } from './refused.ts';
import type { Actor, OperatingTools } from './tools.ts';

interface GivenBilling {
  name: string;
  taxId: string;
  actor: Actor;
}

/** Refused: not_found, invalid. */
export async function setBilling(
  tools: OperatingTools,
  accountId: string,
  { name, taxId, actor }: GivenBilling,
): Promise<{ name: string | null; taxId: string | null }> {
  const given = checkBilling({ name, taxId });
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
export async function showStatement(
  tools: Pick<OperatingTools, 'store' | 'clock'>,
  accountId: string,
  month: string,
): Promise<Statement> {
  const statement = await readStatement(tools, accountId, month);
  if (!statement) throw notFound(`statement ${month} of ${accountId}`);
  return statement;
}
