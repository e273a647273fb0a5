// Further keys of an account, through the API.

import type { Answer } from './answer.ts';
import type { TestAccount, TestGateway } from './gateway.ts';

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

/** A key whose time is over. The API makes none: its end is moved in the store. */
export async function createExpiredKey(
  gateway: Pick<TestGateway, 'call' | 'gateway'>,
  { key, accountId }: TestAccount,
): Promise<CreatedKey> {
  const made = await createKey(gateway, key, { expires_at: '2099-12-31T23:59:59Z' });
  const at = Date.now();
  await gateway.gateway.store.commit('changeKey', { accountId, keyId: made.id, changes: { expiresAt: at }, at });
  return made;
}
