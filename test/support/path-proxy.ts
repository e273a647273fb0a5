// A proxy in front of a gateway that serves it below a path, as some sites do: it removes the path and passes the rest on.

export interface PathProxy {
  url: string;
  close(): Promise<void>;
}

/** `target` may be known only after the proxy listens, because a gateway is started with its public address. */
export function startPathProxy(path: string, target: () => string): PathProxy {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (!`${pathname}/`.startsWith(`${path}/`)) return new Response('not behind this proxy', { status: 418 });
      const answer = await fetch(target() + pathname.slice(path.length) + search, {
        method: request.method,
        headers: request.headers,
        body: request.body,
        redirect: 'manual',
        decompress: false,
      });
      return new Response(answer.body, answer);
    },
  });
  return { url: `http://127.0.0.1:${server.port}${path}`, close: () => server.stop(true) };
}
