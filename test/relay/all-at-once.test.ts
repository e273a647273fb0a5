// Many calls on the only channel of a model that fail at the same moment: each keeps the second try, the wait or the resume
// that it would have had alone.

import { afterEach, describe, expect, test } from 'bun:test';
import { createGate } from '../support/eventually.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { untilHeard } from '../support/race.ts';
import { bodyLength, isBytes, type Script } from '../support/script.ts';
import { WIRE_CLIENTS } from '../support/wire-clients.ts';

const MANY = 24;
const PIECES = ['Alpha', ' beta', ' gamma', ' delta.'];

let lab: Lab;
afterEach(() => lab.stop());

/** Reset when the gate opens, after so many parts of its body, which the gateway has read by then. */
function resetAfter(parts: number, script: Script, opened: Promise<void>): Script {
  const body = (script.body ?? []).filter(isBytes);
  const before = body.slice(0, parts);
  const after = bodyLength({ body: before }) + 1;
  return { ...script, body: [...before, opened, ...body.slice(parts)], cut: { after, by: 'rst', pauseMs: 50 } };
}

describe.each(WIRE_CLIENTS)('$name', (client) => {
  const ask = async (fields: Record<string, unknown>) => lab.read(await untilHeard(() => lab.open(fields)));
  async function askMany(first: () => Script, stream: boolean, meanwhile: () => Promise<void>) {
    lab.first.next(...Array.from({ length: MANY }, first));
    const asked = Array.from({ length: MANY }, () => ask({ stream }));
    await lab.first.request(MANY - 1);
    await meanwhile();
    return Promise.all(asked);
  }

  test('whole answers whose connections are reset', async () => {
    lab = await startLab(client, { routes: ['first'] });
    lab.first.otherwise(client.whole());
    const gate = createGate();
    const all = await askMany(
      () => resetAfter(0, client.whole(), gate.opened),
      false,
      async () => gate.open(),
    );
    expect(all.map(({ status }) => status)).toEqual(Array(MANY).fill(200));
    for (const { attempts } of all) {
      expect(attempts).toEqual([
        ['first', 'network_error'],
        ['first', 'ok'],
      ]);
    }
    expect(lab.gateway.audit()).toEqual([]);
  });

  test('streams that are cut', async () => {
    lab = await startLab(client, { routes: ['first'], first: { prefill: true } });
    lab.first.otherwise(() => client.stream({ pieces: [' gamma', ' delta.'] }));
    const gate = createGate();
    const script = () => {
      const whole = client.stream({ pieces: PIECES });
      const at = (whole.body ?? []).findIndex((part) => String(part).includes('" beta"'));
      return resetAfter(at + 1, whole, gate.opened);
    };
    const all = await askMany(script, true, async () => gate.open());
    expect(all.map(({ answer }) => answer.complete)).toEqual(Array(MANY).fill(true));
    expect(all.map(({ answer }) => answer.content[client.textSlot])).toEqual(Array(MANY).fill(PIECES.join('')));
    expect(lab.gateway.audit()).toEqual([]);
  });

  test('calls that must wait', async () => {
    lab = await startLab(client, { routes: ['first'] });
    const seen = new Set<string>();
    lab.first.otherwise(({ body }) => {
      if (seen.has(body)) return client.whole();
      seen.add(body);
      return client.refusal(429, 'other', { 'retry-after': '1' });
    });
    const messages = (n: number) => [{ role: 'user', content: `Hi ${n}` }];
    const all = await Promise.all(Array.from({ length: MANY }, (_, n) => ask({ messages: messages(n) })));
    expect(all.map(({ status }) => status)).toEqual(Array(MANY).fill(200));
    for (const { attempts } of all) {
      expect(attempts).toEqual([
        ['first', 'rate_limited'],
        ['first', 'ok'],
      ]);
    }
  });
});
