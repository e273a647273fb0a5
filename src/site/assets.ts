// Style, script and mark: few files, read once, named by their content so that they can be kept for ever.

import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

export interface Asset {
  type: string;
  body: Buffer;
  gzipped: Buffer;
}

export interface Assets {
  url(name: string): string;
  /** By the path that `url` gives. */
  find(path: string): Asset | undefined;
}

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};
const HASH_CHARS = 10;

export function createAssets(files: ReadonlyMap<string, Buffer>): Assets {
  const byPath = new Map<string, Asset>();
  const urls = new Map<string, string>();
  for (const [name, body] of files) {
    const [stem = '', extension = ''] = name.split('.');
    const hash = createHash('sha256').update(body).digest('hex').slice(0, HASH_CHARS);
    const url = `/assets/${stem}-${hash}.${extension}`;
    urls.set(name, url);
    byPath.set(url, { type: TYPES[extension] ?? 'application/octet-stream', body, gzipped: gzipSync(body) });
  }
  return { url: (name) => urls.get(name) ?? `/assets/${name}`, find: (path) => byPath.get(path) };
}
