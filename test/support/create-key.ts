// A further key of an account, through the API.

import type { Answer } from './answer.ts';
import type { TestGateway } from './gateway.ts';

export interface CreatedKey {
  id: string;
  key: string;
}

export async function createKey(
  gateway: Pick<TestGateway, 'call'>,
  managingKey: string,
  fields: Record<string, unknown> = {},
): Promise<CreatedKey> {
  const response = await gateway.call('/api/keys', { key: managingKey, body: fields });
  if (response.status !== 201) throw new Error(`no key was made: ${await response.text()}`);
  const answer: Answer = await response.json();
  return { id: answer.id, key: answer.api_key };
}
