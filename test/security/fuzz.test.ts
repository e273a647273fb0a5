// Random calls to every route, more than a thousand in `npm test`: each is answered in its envelope and with our words,
// nothing breaks, and the books agree afterwards.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { systemRandom } from '../../src/kit/random.ts';
import { createKey } from '../support/create-key.ts';
import { eventually } from '../support/eventually.ts';
import type { TestAccount, TestGateway } from '../support/gateway.ts';
import { issueCard } from '../support/issue-cards.ts';
import { IS_LONG_RUN } from '../support/long-run.ts';
import { errorScript } from '../support/openai-chat.ts';
import { OTHER_KINDS } from '../support/other-answers.ts';
import { bodyLength, cutAt, type Script } from '../support/script.ts';
import { UPSTREAM_KEY, upModel } from '../support/test-document.ts';
import type { SeenRequest } from '../support/upstream.ts';
import { judge } from './fuzz-answers.ts';
import { BEHAVIOURS, type FuzzCall, fuzzCalls, modelId } from './fuzz-calls.ts';
import { sendRaw } from './raw-bytes.ts';
import { LISTED_ROUTES, pathOf } from './route-list.ts';
import { answerAny, startSecure } from './start-secure.ts';

const SEED = Number(process.env.FUZZ_SEED ?? 20_261_115);
/** As many on every machine, so that a slow one proves as much as a quick one; who looks for new ones sets a time. */
const FOR_MS = process.env.FUZZ_MS === undefined ? undefined : Number(process.env.FUZZ_MS);
const BATCHES = IS_LONG_RUN ? 130 : 70;
const AT_ONCE = 20;
const BROKEN_REQUESTS = IS_LONG_RUN ? 300 : 150;
const extent = (runs: number) =>
  FOR_MS === undefined ? { numRuns: runs } : { numRuns: 1_000_000, interruptAfterTimeLimit: FOR_MS };

let gateway: TestGateway;
let account: TestAccount;
let keys: (string | undefined)[];
let ids: string[];
let calls = 0;

beforeAll(async () => {
  const model = (kind: string, rest: Record<string, unknown>) =>
    [...new Set(BEHAVIOURS)].map((behaviour) =>
      upModel(modelId(kind, behaviour), {
        price: { input: 10, output: 40 },
        ...rest,
        routes: [{ channel: channelOf(kind, behaviour), model: behaviour }],
      }),
    );
  // An upstream that refuses our key is left alone with everything it has: it gets channels of its own.
  const channelOf = (kind: string, behaviour: string) =>
    `${kind === 'message' ? 'up-messages' : 'up'}${behaviour === 'locks' ? '-locked' : ''}`;
  gateway = await startSecure({
    // Second tries come after the shortest pause.
    random: { ...systemRandom, fraction: () => 0 },
    document: (doc) => ({
      ...doc,
      channels: [...doc.channels, ...doc.channels.slice(1).map((one) => ({ ...one, name: `${one.name}-locked` }))],
      models: [
        ...doc.models,
        ...model('chat', {}),
        ...model('message', {}),
        ...model('vector', { kinds: ['embeddings'], price: { input: 2 } }),
        ...model('paint', { kinds: ['images'], price: { image: 0.001 } }),
        ...Object.entries(OTHER_KINDS).flatMap(([kind, fields]) => model(kind, fields)),
      ],
    }),
  });
  gateway.upstream.otherwise(behave);
  account = await gateway.register();
  const card = await issueCard(gateway, { amount: 1_000_000_000_000n });
  await gateway.call('/api/redeem', { key: account.key, body: { code: card.code } });
  const restricted = await createKey(gateway, account.key, { models: ['chat-ok'], daily_budget_ntd: 0.01 });
  const spare = await createKey(gateway, account.key);
  const other = await gateway.register();
  const used = await gateway.chat(other.key, { model: 'chat-ok' });
  await used.text();
  keys = [account.key, restricted.key, other.key, 'sk-svc-garbage', undefined];
  ids = [spare.id, other.keyId, used.headers.get('x-request-id') ?? '', 'auto:free', 'up-paid', 'none'];
});
afterAll(() => gateway.stop());

/** What an upstream might say about itself. */
const leak = () => `at http://127.0.0.1:${gateway.upstream.port}/v1 with ${UPSTREAM_KEY}`;

function behave(request: SeenRequest): Script {
  const answer = answerAny(request);
  switch (request.json.model) {
    case 'fails':
      return errorScript(500, { message: leak() });
    case 'limits':
      return errorScript(429, { message: leak() }, { 'retry-after': '0.05' });
    case 'refuses':
      return errorScript(400, { message: `bad ${leak()}`, type: 'invalid_request_error', param: leak() });
    case 'locks':
      return errorScript(401, { message: leak() });
    case 'garbage':
      return { status: 200, headers: { 'content-type': 'application/json' }, body: [`<html>${leak()}`] };
    case 'cut':
      return cutAt(answer, Math.floor(bodyLength(answer) / 2), 'fin');
    case 'greedy':
      return {
        ...answer,
        body: (answer.body ?? []).map((part) =>
          typeof part === 'string' ? part.replace(/(tokens":)\d+/g, '$1999999999999') : part,
        ),
      };
    default:
      return answer;
  }
}

async function run(call: FuzzCall): Promise<void> {
  calls++;
  const key = keys[call.key];
  const hasBody = call.body !== undefined && !['GET', 'HEAD'].includes(call.method);
  const response = await fetch(gateway.url + call.path, {
    method: call.method,
    headers: { ...(key ? { authorization: `Bearer ${key}` } : {}), ...call.headers },
    ...(hasBody ? { body: call.body as string } : {}),
    redirect: 'manual',
  });
  // Audio that breaks off has no other end.
  const isAudio = response.headers.get('content-type')?.startsWith('audio/') === true;
  const text = await response.text().catch((error) => (isAudio ? '' : Promise.reject(error)));
  const secrets = [UPSTREAM_KEY, `127.0.0.1:${gateway.upstream.port}`, gateway.dataDir];
  expect(judge(call, response, text, secrets)).toEqual([]);
}

test('any call is answered, in its envelope, in our words', async () => {
  const batches = fc.array(fuzzCalls(4, ids), { minLength: AT_ONCE, maxLength: AT_ONCE });
  await fc.assert(
    fc.asyncProperty(batches, async (batch) => {
      await Promise.all(batch.map(run));
    }),
    { seed: SEED, ...extent(BATCHES) },
  );
  console.log(`${calls} random calls`);
  if (FOR_MS === undefined) expect(calls).toBe(BATCHES * AT_ONCE);
});

test('any bytes are answered or cut off', async () => {
  const change = fc.tuple(fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 4 }), fc.nat(3));
  const requests = fc.tuple(fc.constantFrom(...LISTED_ROUTES), fc.array(change, { minLength: 1, maxLength: 3 }));
  let sent = 0;
  await fc.assert(
    fc.asyncProperty(requests, async ([route, changes]) => {
      const body = JSON.stringify(route.body ?? {});
      const head = `${route.method} ${pathOf(route)} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${account.key}\r\nconnection: close\r\n`;
      let bytes: Buffer = Buffer.from(`${head}content-length: ${body.length}\r\n\r\n${body}`);
      for (const [pick, piece, removed] of changes) {
        const at = pick % bytes.length;
        bytes = Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at + removed)]);
      }
      // More than enough for a length that grew; the rest is no request.
      const { statuses, isClosed } = await sendRaw(gateway.port, Buffer.concat([bytes, Buffer.alloc(64, 0x20)]), 1);
      sent++;
      expect(isClosed || statuses.length > 0).toBe(true);
      expect(statuses.filter((status) => status === 500 || status > 505)).toEqual([]);
    }),
    { seed: SEED, ...extent(BROKEN_REQUESTS) },
  );
  console.log(`${sent} broken requests`);
  if (FOR_MS === undefined) expect(sent).toBe(BROKEN_REQUESTS);
});

test('afterwards the gateway lives, and its books agree', async () => {
  await eventually('every call to be closed', () => gateway.sql('SELECT * FROM holds').length === 0);
  expect(gateway.audit()).toEqual([]);
  expect((await gateway.call('/healthz')).status).toBe(200);
  expect((await gateway.call('/readyz')).status).toBe(200);
  expect((await gateway.chat(account.key, { model: 'chat-ok' })).status).toBe(200);
  const faults = gateway.log.lines().filter(({ code }) => code === 'internal_error');
  expect(faults).toEqual([]);
  for (const secret of [UPSTREAM_KEY, account.key]) expect(gateway.log.text()).not.toContain(secret);
});
