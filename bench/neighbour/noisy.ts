// The noisy account of `npm run bench:neighbour`: runs every trick repeatedly, until its input closes. Arguments: the
// gateway's address, its key, and optionally the name of a single trick. Writes how often each trick ended in which status.

export {};

const [url, key, only] = process.argv.slice(2) as [string, string, string | undefined];
const CHAT = '/v1/chat/completions';
const LONGEST_MS = 3_000;
const said = (content: string) => [{ role: 'user', content }];
const json = (model: string, rest: object) => JSON.stringify({ model, max_tokens: 20, messages: said('x'), ...rest });
const values = { metadata: Array.from({ length: 49_000 }, (_, n) => ({ n })) };
const turns = {
  messages: Array.from({ length: 10_000 }, (_, n) => ({ role: n % 2 ? 'assistant' : 'user', content: `turn ${n}` })),
};
const stream = (content: string) => json('quick', { stream: true, messages: said(content) });

interface Trick {
  path?: string;
  body: string;
  hangUpMs?: number;
  key?: string;
}

const TRICKS: Record<string, Trick> = {
  'many values, unknown model': { body: json('nope', values) },
  'many values, no money': { body: json('dear', values) },
  'many values, broken': { body: json('quick', values).slice(0, -1) },
  'many values, token count': { path: '/v1/messages/count_tokens', body: json('quick', values) },
  'many values, bad key': { body: json('quick', values), key: 'bad' },
  '10,000 turns, translated': { body: json('dear-claude', turns) },
  '10,000 turns, free': { body: json('auto:free', turns) },
  '10,000 turns, hung up': { body: json('dear-claude', turns), hangUpMs: 20 },
  'stream of comments': { body: stream('send comments') },
  'stream, hung up': { body: stream('speak slowly'), hangUpMs: 200 },
  'provoked 403': { body: json('quick', { messages: said('provoke 403') }) },
  'provoked 500': { body: json('quick', { messages: said('provoke 500') }) },
};

const seen: Record<string, Record<string, number>> = {};
let isOver = false;

async function play(name: string, { path = CHAT, body, hangUpMs = LONGEST_MS, key: own = key }: Trick): Promise<void> {
  const ends: Record<string, number> = {};
  seen[name] = ends;
  while (!isOver) {
    const end = await fetch(url + path, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${own}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(hangUpMs),
    })
      .then(async (response) => {
        await response.arrayBuffer();
        return String(response.status);
      })
      .catch(() => 'hung up');
    ends[end] = (ends[end] ?? 0) + 1;
    // Ten a second of each: more would measure the work of this process, which shares the machine.
    await Bun.sleep(100);
  }
}

const chosen = Object.entries(TRICKS).filter(([name]) => only === undefined || name === only);
const playing = Promise.all(chosen.map(([name, trick]) => play(name, trick)));
for await (const _ of Bun.stdin.stream());
isOver = true;
await playing;
process.stdout.write(JSON.stringify(seen));
