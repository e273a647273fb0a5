// A receiver of webhooks on loopback: it keeps what it gets, and answers as a test wants.

import { freePort } from './free-port.ts';

export interface Received {
  id: string;
  headers: Record<string, string>;
  body: string;
  json: { id: string; type: string; timestamp: string; data: Record<string, unknown> };
}

export interface WebhookReceiver {
  url: string;
  /** What it got, in its order; also what it refused. */
  received: Received[];
  /** Of all that it got. */
  ids: Set<string>;
  /** The status of each answer, or a promise of it; 204 at first. */
  answer: (received: Received) => number | Promise<number>;
  /** Nobody listens any more. */
  away(): Promise<void>;
  back(): void;
  /** For a listener that is away, too. */
  stop(): Promise<void>;
}

export async function startReceiver(): Promise<WebhookReceiver> {
  const port = await freePort();
  const serve = () =>
    Bun.serve({
      port,
      hostname: '127.0.0.1',
      async fetch(request) {
        const body = await request.text();
        const headers = Object.fromEntries(request.headers);
        const got = { id: headers['webhook-id'] ?? '', headers, body, json: JSON.parse(body) };
        receiver.received.push(got);
        receiver.ids.add(got.id);
        return new Response(null, { status: await receiver.answer(got) });
      },
    });
  let server: ReturnType<typeof serve> | undefined = serve();
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${port}/hooks`,
    received: [],
    ids: new Set(),
    answer: () => 204,
    async away() {
      await server?.stop(true);
      server = undefined;
    },
    back() {
      server ??= serve();
    },
    async stop() {
      await receiver.away();
    },
  };
  return receiver;
}
