// A client of a socket that does not read: the upstream waits, memory stays bounded, and after a minute the client is cut off.

import { afterEach, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { MINUTE_MS } from '../../../src/kit/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { responseStream } from '../../support/openai-responses.ts';
import { isBytes } from '../../support/script.ts';
import { createShiftedClock } from '../../support/shifted-clock.ts';
import { upModel } from '../../support/test-document.ts';

const MIB = 1024 * 1024;
const WORDS = ' word'.repeat(200);

let gateway: TestGateway;
afterEach(() => gateway.stop());

/** Words without end, and how many bytes of them have left. */
function flood() {
  const stream = responseStream({ pieces: ['Hello', WORDS] });
  const parts = (stream.body ?? []).filter(isBytes).map(String);
  const at = parts.findIndex((part) => part.includes(WORDS));
  const word = parts[at] ?? '';
  let sent = 0;
  function* endless() {
    for (;;) {
      sent += word.length;
      yield word;
    }
  }
  return { script: { ...stream, body: parts.slice(0, at), rest: endless() }, sent: () => sent };
}

/** One frame of a client, with a mask of zeros. */
function textFrame(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x81, 0x80 | 126, bytes.length >> 8, bytes.length & 255, 0, 0, 0, 0]), bytes]);
}

test('the upstream waits for the client, and the client is cut off after a minute', async () => {
  const clock = createShiftedClock();
  gateway = await startTestGateway({
    // A minute without reading passes in a second.
    clock: { ...clock, after: (ms, task) => clock.after(ms === MINUTE_MS ? 1_000 : ms, task) },
    document: (standard) => ({
      ...standard,
      models: [
        ...standard.models,
        upModel('endless', {
          context_tokens: 1_000_000_000,
          max_output_tokens: 1_000_000_000,
          price: { input: 10, output: 0.001 },
        }),
      ],
    }),
  });
  const { key } = await gateway.register();
  const { script, sent } = flood();
  gateway.upstream.next(script);
  const create = JSON.stringify({ type: 'response.create', model: 'endless', input: 'x'.repeat(200) });
  const client = connect(gateway.port, '127.0.0.1', () => {
    const head = ['GET /v1/responses HTTP/1.1', 'host: gateway.test', `authorization: Bearer ${key}`];
    const upgrade = ['connection: Upgrade', 'upgrade: websocket', 'sec-websocket-version: 13'];
    client.write(`${[...head, ...upgrade, 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=='].join('\r\n')}\r\n\r\n`);
  });
  client.on('error', () => client.destroy());
  client.once('data', () => {
    client.pause();
    client.write(textFrame(create));
  });
  const seen = await gateway.upstream.request(0);
  await eventually('the upstream to be left', () => seen.abortedAt);
  // Buffers of the system on both ways, and no more.
  expect(sent()).toBeLessThan(80 * MIB);
  const [record] = await eventually('the record', async () => {
    const { data } = await gateway.get('/api/usage', key);
    return data.length > 0 && data;
  });
  expect(record).toMatchObject({ status: 'client_gone', estimated: true });
  expect(gateway.audit()).toEqual([]);
  client.destroy();
});
