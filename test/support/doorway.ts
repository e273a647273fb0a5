// A door in front of a gateway that notes who went through and with what they came back: a gateway itself keeps no record
// of a call that it refuses.

export interface Passage {
  path: string;
  status: number;
}

export interface Doorway {
  url: string;
  passages: readonly Passage[];
  /** Forgets who went through. */
  reset(): void;
  close(): Promise<void>;
}

export function openDoorway(target: string): Doorway {
  let passages: Passage[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const headers = new Headers(request.headers);
      headers.delete('host');
      const answer = await fetch(target + pathname + search, {
        method: request.method,
        headers,
        ...(request.body ? { body: await request.bytes() } : {}),
        redirect: 'manual',
        signal: request.signal,
      });
      passages.push({ path: pathname, status: answer.status });
      return answer;
    },
  });
  return {
    url: server.url.origin,
    get passages() {
      return passages;
    },
    reset() {
      passages = [];
    },
    close: () => server.stop(true),
  };
}
