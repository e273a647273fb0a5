import type { Tables } from '../torture/verify.ts';

/** Which of these requests were charged. */
export async function chargedOf({ ask }: Tables, requestIds: readonly string[]): Promise<string[]> {
  if (requestIds.length === 0) return [];
  const ids = requestIds.map((id) => `'${id}'`).join();
  const [rows = []] = await ask([`SELECT reference AS id FROM entries WHERE kind = 'usage' AND reference IN (${ids})`]);
  return rows.map(({ id }) => String(id));
}
