// Brings a wallet to NT$0 the only way money leaves one: by a call whose upstream claims more than the hold.

import { eventually } from './eventually.ts';
import type { TestGateway } from './gateway.ts';
import { chatAnswer } from './openai-chat.ts';

/** The model's prices must divide the balance: its hold is then all of it. */
export async function spendAll(gateway: TestGateway, key: string, model: string): Promise<void> {
  gateway.upstream.next(chatAnswer({ usage: { prompt_tokens: 10_000_000, completion_tokens: 10_000_000 } }));
  const response = await gateway.chat(key, { model, max_tokens: 1_000 });
  if (response.status !== 200) throw new Error(await response.text());
  await eventually('an empty wallet', async () => (await gateway.get('/api/me', key)).balance_nano === '0');
}
