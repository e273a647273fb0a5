// OpenAI's SDK over a WebSocket, against every kind of upstream.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import OpenAI from 'openai';
import type { Response as Answered } from 'openai/resources/responses/responses';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { type ClientGateway, KINDS_FOR, startClientGateway } from '../support/client-gateway.ts';

let gateway: ClientGateway;
beforeAll(async () => {
  gateway = await startClientGateway();
  gateway.answer(({ prompt }) => ({ pieces: ['You said: ', prompt.replaceAll('\n', '|')] }));
});
afterAll(() => gateway.stop());

/** The next answer of the socket; rejects with a refusal. */
function nextAnswer(socket: ResponsesWS): Promise<Answered> {
  return new Promise((resolve, reject) => {
    socket.once('response.completed', ({ response }) => resolve(response));
    socket.once('error', reject);
  });
}

test.each([...KINDS_FOR.responses])('two turns on a channel of the kind $kind, and a refusal', async ({ model }) => {
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key });
  const socket = new ResponsesWS(client);
  const ask = (event: Record<string, unknown>) => {
    const answered = nextAnswer(socket);
    socket.send({ type: 'response.create', model, store: false, ...event });
    return answered;
  };
  const first = await ask({ input: 'one' });
  const second = await ask({ input: 'two', previous_response_id: first.id });
  expect(second.output).toMatchObject([{ type: 'message', content: [{ text: 'You said: one|two' }] }]);
  const refusal = await ask({ model: 'none', input: 'x' }).catch((error: Error) => error);
  expect(refusal).toMatchObject({ message: expect.stringContaining('none'), error: { status: 404 } });
  socket.close();
});
