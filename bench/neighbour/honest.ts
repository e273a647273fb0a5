// The honest accounts of `npm run bench:neighbour`: each sends one small call a second. Arguments: the gateway's address, a
// file with the keys, and for how many seconds. Writes the times of the calls and what was refused.

import { readFileSync } from 'node:fs';

const [url, file, seconds] = process.argv.slice(2) as [string, string, string];
const keys: string[] = JSON.parse(readFileSync(file, 'utf8'));
const times: number[] = [];
const refused: string[] = [];
const body = JSON.stringify({ model: 'quick', max_tokens: 20, messages: [{ role: 'user', content: 'Hello' }] });

async function call(key: string): Promise<void> {
  const start = performance.now();
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  });
  const text = await response.text();
  times.push(performance.now() - start);
  if (response.status !== 200) refused.push(`${response.status} ${text.slice(0, 200)}`);
}

/** A late call does not delay the next one. */
async function keepCalling(key: string, offsetMs: number): Promise<void> {
  const calls: Promise<void>[] = [];
  await Bun.sleep(offsetMs);
  for (let second = 0; second < Number(seconds); second++) {
    calls.push(call(key));
    await Bun.sleep(1_000);
  }
  await Promise.all(calls);
}

await Promise.all(keys.map((key, index) => keepCalling(key, (index * 1_000) / keys.length)));
process.stdout.write(JSON.stringify({ times, refused }));
