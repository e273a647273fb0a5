// Chat and messages clients of a model whose only channel has nothing but Responses.

import { afterEach, describe, expect, test } from 'bun:test';
import { costAt, type Lab, MAIN, startLab } from '../support/lab.ts';
import { responseAnswer, responseEvents, responseFrame, responseStream } from '../support/openai-responses.ts';
import { WIRE_CLIENTS, type WireClient } from '../support/wire-clients.ts';

let lab: Lab;
afterEach(() => lab.stop());

describe.each(WIRE_CLIENTS.filter(({ name }) => name !== 'responses'))('$name', (client) => {
  const start = async () => {
    const own: WireClient = {
      ...client,
      channel: (name, base_url, fields) => {
        return { name, kind: 'openai', base_url, endpoints: ['responses'], api_key: 'none', ...fields };
      },
    };
    lab = await startLab(own);
  };

  test('a stream, with its usage and its cost', async () => {
    await start();
    lab.first.next(responseStream({ pieces: ['One', ' two'] }));
    const { answer, record } = await lab.ask({ stream: true });
    expect(answer).toMatchObject({ complete: true, error: undefined, content: { [client.textSlot]: 'One two' } });
    expect(answer.usage.cost_nano).toBe(costAt(MAIN, 11, 7));
    expect(record).toMatchObject({ channel: 'first', estimated: false, cost_nano: costAt(MAIN, 11, 7) });
    expect(lab.first.requests[0]).toMatchObject({
      path: '/v1/responses',
      json: { input: [{ role: 'user' }], max_output_tokens: 200, store: false, stream: true },
    });
  });

  test('a whole answer', async () => {
    await start();
    lab.first.next(responseAnswer({ pieces: ['One two'] }));
    const { json, status } = await lab.ask();
    expect(status).toBe(200);
    expect(client.readWhole(json)).toEqual({ text: 'One two', model: 'main' });
  });

  test('items with wrong indexes are sent and charged once', async () => {
    await start();
    const options = { pieces: ['word '.repeat(20)], usage: null };
    const costs: unknown[] = [];
    for (const first of [0, 1]) {
      const moved = responseEvents(options).map((event) =>
        'output_index' in event ? { ...event, output_index: first } : event,
      );
      lab.first.next({ ...responseStream(), body: moved.map(responseFrame) });
      const { answer, record } = await lab.ask({ stream: true });
      expect(answer.complete).toBe(true);
      expect(answer.content).toEqual({ [client.textSlot]: 'word '.repeat(20) });
      costs.push(record.cost_nano);
    }
    expect(costs[1]).toBe(costs[0]);
  });

  test('a stream that breaks goes on elsewhere', async () => {
    await start();
    const [created, progress, item, part, delta] = responseStream({ pieces: ['One', ' two'] }).body ?? [];
    const begun = [created, progress, item, part, delta].filter((event) => event !== undefined);
    lab.first.next({ ...responseStream(), body: begun, framing: 'close' });
    lab.first.otherwise({ status: 500 });
    lab.second.next(responseStream({ pieces: ['One', ' two'], run: 'b' }));
    const { answer } = await lab.ask({ stream: true });
    expect(answer).toMatchObject({ complete: true, error: undefined, content: { [client.textSlot]: 'One two' } });
  });
});
