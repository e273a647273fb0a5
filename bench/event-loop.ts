// `npm run bench:loop`: how long the largest bodies block other requests. For bodies of 20 MB in several shapes it measures
// each phase alone, and then the longest time in which the event loop of a real gateway was blocked while another process
// sent such a body. Options: --only SHAPE, --rounds N.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { countInput } from '../src/dialects/input/count-input.ts';
import { type JsonObject, readJsonObject } from '../src/kit/json/json.ts';
import { readLargeJson } from '../src/kit/json/large-json.ts';
import { startTestGateway } from '../test/support/gateway.ts';
import { upModel } from '../test/support/test-document.ts';

const BYTES = 20 * 1024 * 1024 - 1024;
/** The second model has only a channel of the other format, so its messages are translated. */
const CALLS: [path: string, model: string][] = [
  ['/v1/chat/completions', 'native'],
  ['/v1/messages', 'native'],
  ['/v1/messages', 'translated'],
];
const MIB = 1024 * 1024;

const { values } = parseArgs({ options: { only: { type: 'string' }, rounds: { type: 'string', default: '3' } } });
const rounds = Number(values.rounds);

const filled = (unit: string) => unit.repeat(Math.floor(BYTES / Buffer.byteLength(unit)));
const body = (messages: string, rest = '') => `{"model":"native","max_tokens":5,"messages":${messages}${rest}}`;
const said = (text: string) => body(`[{"role":"user","content":"${text}"}]`);
const HI = '[{"role":"user","content":"Hi"}]';
const many = (count: number, one: (index: number) => string) => Array.from({ length: count }, (_, n) => one(n)).join();

const SHAPES: Record<string, () => string> = {
  'long ASCII string': () => said(filled('Hello world, this is prose. ')),
  'mixed ASCII': () => said(mixed()),
  CJK: () => said(filled('你好世界這是中文。')),
  'escapes \\n': () => said(filled('\\n')),
  'escapes \\"': () => said(filled('\\"')),
  'escapes \\u': () => said(filled('\\u4f60')),
  '33,000 messages': () => body(`[${many(33_000, () => `{"role":"user","content":"${'a B '.repeat(145)}"}`)}]`),
  '99,000 strings': () => body(HI, `,"metadata":[${many(99_000, () => `"${'a\\n'.repeat(68)}"`)}]`),
  '49,000 objects': () => body(HI, `,"metadata":[${many(49_000, (n) => `{"k${n}":"${'a'.repeat(400)}"}`)}]`),
  '60 deep': () => body(`[{"role":"user","content":${'['.repeat(60)}"${filled('a ')}"${']'.repeat(60)}}]`),
  '9,000 tools': () => body(HI, `,"tools":[${many(9_000, tool)}]`),
  'an image': () =>
    body(
      `[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,${filled('iVBORw0K')}"}}]}]`,
    ),
  spaces: () => body(HI) + filled(' ').slice(200),
};

function mixed(): string {
  const letters = 'abcdefghijk LMNOP0123!?.,';
  let seed = 1;
  let text = '';
  for (let i = 0; i < 10_000; i++) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    text += letters[Math.floor((seed / 65_536) % letters.length)];
  }
  return text.repeat(Math.floor(BYTES / text.length));
}

function tool(index: number): string {
  const schema = '{"type":"object","properties":{"a":{"type":"string"}}}';
  const description = 'does things. '.repeat(165);
  return `{"type":"function","function":{"name":"t${index}","description":"${description}","parameters":${schema}}}`;
}

/** The best of the rounds, in milliseconds: other work on the machine can only add to it. */
function phases(text: string): Record<string, number> {
  const bytes = Buffer.from(text);
  const best: Record<string, number> = {};
  const time = <Value>(phase: string, work: () => Value): Value => {
    const start = performance.now();
    const value = work();
    keepBest(best, phase, performance.now() - start);
    return value;
  };
  for (let round = 0; round < rounds; round++) {
    const decoded = time('decode', () => new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    const document = time('scan and parse', () => readJsonObject(decoded));
    time('JSON.parse alone', () => JSON.parse(decoded));
    time('count', () => countInput(document, document.value.messages as JsonObject[]));
  }
  return best;
}

function keepBest(best: Record<string, number>, what: string, ms: number): void {
  best[what] = Math.min(best[what] ?? Number.POSITIVE_INFINITY, ms);
}

/** The longest single turn when the body is read in chunks. */
async function pieces(text: string): Promise<Record<string, number>> {
  const best: Record<string, number> = {};
  for (let round = 0; round < rounds; round++) {
    let longest = 0;
    let since = performance.now();
    const pause = async () => {
      longest = Math.max(longest, performance.now() - since);
      await Bun.sleep(0);
      since = performance.now();
    };
    const document = await readLargeJson(text, { pause });
    keepBest(best, 'longest piece', Math.max(longest, performance.now() - since));
    const start = performance.now();
    countInput(document, document.value.messages as JsonObject[]);
    keepBest(best, 'count after pieces', performance.now() - start);
  }
  return best;
}

/** The longest time between two turns of this process's event loop until `work` has ended. */
async function longestTurn(work: Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  void work.finally(() => (isOver = true));
  let last = performance.now();
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }
  return longest;
}

const DEAR = { price: { input: 100_000, output: 100_000 }, context_tokens: 100_000_000 };

const SENDER = `const [, , url, key, file] = process.argv;
const response = await fetch(url, { method: 'POST', body: Bun.file(file),
  headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' } });
await response.text();
process.stdout.write(String(response.status));`;

const folder = mkdtempSync(join(tmpdir(), 'gateway-loop-'));
const gateway = await startTestGateway({
  limits: { paid_per_minute: 10_000 },
  document: (doc) => ({
    ...doc,
    // No wallet covers it: a body is read, counted, translated and then refused, so that no upstream is involved.
    models: [
      ...doc.models,
      upModel('native', { ...DEAR, routes: [{ channel: 'demo', model: 'demo' }] }),
      upModel('translated', DEAR),
    ],
  }),
});
try {
  const { key } = await gateway.register();
  const sender = join(folder, 'sender.ts');
  const file = join(folder, 'body.json');
  writeFileSync(sender, SENDER);
  const send = async (path: string) => {
    const child = Bun.spawn([process.execPath, sender, gateway.url + path, key, file], { stdout: 'pipe' });
    return new Response(child.stdout).text();
  };
  for (const [name, make] of Object.entries(SHAPES)) {
    if (values.only !== undefined && values.only !== name) continue;
    const text = make();
    const figures: Record<string, number> = { ...phases(text), ...(await pieces(text)) };
    for (const [path, model] of CALLS) {
      writeFileSync(file, text.replace('native', model));
      for (let round = 0; round < rounds; round++) {
        const sent = send(path);
        const longest = await longestTurn(sent);
        keepBest(figures, `${path} ${model} (${await sent})`, longest);
      }
    }
    const shown = Object.entries(figures).map(([what, ms]) => `${what} ${ms.toFixed(0)}`);
    console.log(`${name} (${(Buffer.byteLength(text) / MIB).toFixed(1)} MiB): ${shown.join(', ')} ms`);
  }
} finally {
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
}
