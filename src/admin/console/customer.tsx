/** @jsxImportSource hono/jsx */
// An account in a list: by what the operator calls it, with its id below, or by its id alone; with a link to its page.

import { IdLink } from '../../site/parts/button.tsx';
import { Under } from '../../site/parts/table.tsx';
import type { ConsoleTools } from './tools.ts';

/** The operator's nicknames by account id. */
export type Nicknames = ReadonlyMap<string, string>;

/** Reads them for the accounts of one page. */
export async function readNicknames({ store }: Pick<ConsoleTools, 'store'>, ids: Iterable<string | null>) {
  const accountIds = [...new Set(ids)].filter((id) => id?.startsWith('acc_')) as string[];
  const named = await Promise.all(
    accountIds.map(async (id) => [id, (await store.read.accountNote(id)).nickname] as const),
  );
  return new Map(named.flatMap(([id, nickname]) => (nickname === null ? [] : [[id, nickname] as const])));
}

export function Customer({ accountId, nicknames }: { accountId: string; nicknames: Nicknames }) {
  const path = `/accounts/${accountId}`;
  const nickname = nicknames.get(accountId);
  if (nickname === undefined) return <IdLink href={path} text={accountId} />;
  const link = (
    <a href={path} class="nickname">
      {nickname}
    </a>
  );
  return <Under of={link} text={accountId} class="id" />;
}
