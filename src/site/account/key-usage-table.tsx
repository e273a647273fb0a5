/** @jsxImportSource hono/jsx */
// The usage of each key, alone and with the keys below it.

import type { UsageOfKey } from '../../accounts/usage/usage-by-key.ts';
import { count } from '../format.ts';
import type { PageContext } from '../page.tsx';
import { Money } from '../parts/amount.tsx';
import { DataTable, figure, typedText } from '../parts/table.tsx';

interface KeyUsageTableProps {
  context: PageContext;
  usage: readonly UsageOfKey[];
  keyNames: ReadonlyMap<string, string>;
}

const MAX_ROWS = 50;

export function KeyUsageTable({ context, usage, keyNames }: KeyUsageTableProps) {
  const { usage: words } = context.words.account;
  const nameOf = (keyId: string | null) => keyNames.get(keyId ?? '') ?? '–';
  return (
    <details>
      <summary>{words.byKey}</summary>
      <DataTable
        label={words.byKey}
        columns={[
          words.key,
          typedText(words.under),
          figure(words.requests),
          figure(words.cost),
          figure(words.costWithChildren),
        ]}
        rows={usage
          .slice(0, MAX_ROWS)
          .map(({ key, own, subtree }) => [
            <span class="as-written">{nameOf(key.keyId)}</span>,
            nameOf(key.parentId),
            count(own.requests),
            <Money value={own.cost} />,
            <Money value={subtree.cost} />,
          ])}
      />
      {usage.length > MAX_ROWS ? <p class="faint">{words.firstKeys(count(MAX_ROWS), count(usage.length))}</p> : null}
    </details>
  );
}
