// Keys below others, through the API.

import type { Answer } from './answer.ts';
import { type CreatedKey, createKey } from './create-key.ts';
import type { TestGateway } from './gateway.ts';

export const CHILD_BUDGET = { budgets: { total_ntd: 0.2 } };

/** One below the other: the first by the given key, each other by the one before it. */
export async function createLine(
  gateway: Pick<TestGateway, 'call'>,
  key: string,
  names: readonly string[],
  fields: Record<string, unknown> = {},
): Promise<CreatedKey[]> {
  const line: CreatedKey[] = [];
  for (const name of names) {
    const by = line.at(-1)?.key ?? key;
    line.push(await createKey(gateway, by, { name, delegate: true, ...CHILD_BUDGET, ...fields }));
  }
  return line;
}

/** The ids of keys that a key lists. */
export async function listedIds(gateway: Pick<TestGateway, 'get'>, key: string): Promise<string[]> {
  return (await gateway.get('/api/keys', key)).data.map(({ id }: Answer) => id);
}
