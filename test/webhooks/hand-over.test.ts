// A server is replaced without a crash: the next one starts beside it, and the old one drains while its webhook waits for an
// answer. Each event arrives once.

import { expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import { createWorkplace } from '../support/start-process.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

const TIMEOUT_MS = 240_000;
const WITHIN_MS = 60_000;
/** How many events one of the servers sends before the next step. */
const SOME = 3;
/** Longer than the two servers need to see the same event. */
const ANSWER_MS = 200;

test(
  'SQLite: when one process takes over from another, each event arrives once',
  async () => {
    const workplace = createWorkplace();
    const receiver = await startReceiver();
    const env = { ALLOW_PRIVATE_WEBHOOKS: '1' };
    let open = 0;
    receiver.answer = async () => {
      open++;
      await Bun.sleep(ANSWER_MS);
      open--;
      return 204;
    };
    try {
      const old = await workplace.serve(env);
      const post = async (url: string, path: string, key?: string, body: unknown = {}): Promise<Answer> => {
        const headers = { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) };
        const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
        expect(response.status).toBe(201);
        return response.json();
      };
      const { api_key: key } = await post(old.url, '/api/agent/register');
      await post(old.url, '/api/webhooks', key, { url: receiver.url, types: ['key.created'] });
      const made: string[] = [];
      const makeKeys = async (url: string, count: number) => {
        for (let n = 0; n < count; n++) made.push((await post(url, '/api/keys', key, { name: 'handed over' })).id);
      };
      const next = await workplace.serve(env);
      await makeKeys(old.url, 2 * SOME);
      await makeKeys(next.url, 2 * SOME);
      await eventually('some have arrived', () => receiver.ids.size >= SOME, WITHIN_MS);
      await eventually('one waits for its answer', () => open > 0, WITHIN_MS);
      old.signal('SIGTERM');
      expect((await old.ended).exitCode).toBe(0);
      await makeKeys(next.url, SOME);
      await eventually('all have arrived', () => receiver.ids.size >= made.length && open === 0, WITHIN_MS);
      expect(receiver.received.map(({ json }) => json.data.key_id)).toEqual(made);
    } finally {
      await workplace.remove();
      await receiver.stop();
    }
  },
  TIMEOUT_MS,
);
