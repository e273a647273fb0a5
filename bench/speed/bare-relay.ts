// The lower bound: the same runtime as the gateway, passing bytes and doing nothing else. Usage: bare-relay.ts PORT UPSTREAM_URL

const [, , port, upstream] = process.argv;

Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  development: false,
  async fetch(request, server) {
    server.timeout(request, 0);
    if (request.method === 'GET') return new Response('ready');
    const path = request.url.slice(request.url.indexOf('/', 8));
    const headers = { 'content-type': 'application/json', authorization: request.headers.get('authorization') ?? '' };
    return fetch(upstream + path, { method: 'POST', headers, body: await request.arrayBuffer() });
  },
});
