// Style, script and mark: few files, read once, named by their content so that they can be kept for ever.

import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Env, Hono } from 'hono';
import { requestUrl } from '../kit/request-url.ts';
import { pageHeaders, YEAR_S } from './respond.ts';

export type Assets = ReturnType<typeof createAssets>;

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};
const HASH_CHARS = 10;

export function createAssets(files: ReadonlyMap<string, Buffer>) {
  const byPath = new Map<string, { type: string; body: Buffer; gzipped: Buffer }>();
  const urls = new Map<string, string>();
  for (const [name, body] of files) {
    const [stem = '', extension = ''] = name.split('.');
    const hash = createHash('sha256').update(body).digest('hex').slice(0, HASH_CHARS);
    const url = `/assets/${stem}-${hash}.${extension}`;
    urls.set(name, url);
    byPath.set(url, { type: TYPES[extension] ?? 'application/octet-stream', body, gzipped: gzipSync(body) });
  }
  return {
    url: (name: string) => urls.get(name) ?? `/assets/${name}`,
    /** By the path that `url` gives. */
    find: (path: string) => byPath.get(path),
  };
}

export function addAssets<Bindings extends Env>(app: Hono<Bindings>, assets: Assets, ownUrl: string): void {
  app.get('/assets/:name', ({ req: { raw: request } }, next) => {
    const asset = assets.find(requestUrl(request).pathname);
    if (!asset) return next();
    const isGzip = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
    return new Response(new Uint8Array(isGzip ? asset.gzipped : asset.body), {
      headers: {
        'content-type': asset.type,
        'cache-control': `public, max-age=${YEAR_S}, immutable`,
        vary: 'accept-encoding',
        ...(isGzip ? { 'content-encoding': 'gzip' } : {}),
        ...pageHeaders(ownUrl),
      },
    });
  });
}
