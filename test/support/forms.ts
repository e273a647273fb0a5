// Forms with files, as clients send them and upstreams read them: written and read by the runtime, not by our own reader.

import type { TestGateway } from './gateway.ts';
import type { SeenRequest } from './upstream.ts';

export type FormField = readonly [name: string, value: string | File];

export function formOf(fields: readonly FormField[]): FormData {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  return form;
}

export interface FormCall {
  key: string;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
}

export function postForm(
  { url }: Pick<TestGateway, 'url'>,
  path: string,
  fields: readonly FormField[],
  { key, headers, signal }: FormCall,
): Promise<Response> {
  return fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...headers },
    body: formOf(fields),
    ...(signal ? { signal } : {}),
  });
}

/** The form that an upstream got: texts as they are, files with their names and bytes. */
export async function seenForm({ bytes, headers }: Pick<SeenRequest, 'bytes' | 'headers'>): Promise<SeenFields> {
  const type = headers['content-type'] ?? '';
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData();
  const fields: SeenFields = [];
  for (const [name, value] of form.entries()) {
    fields.push([name, typeof value === 'string' ? value : await seenFile(value)]);
  }
  return fields;
}

export interface SeenFile {
  filename: string;
  type: string;
  hash: string;
}

export type SeenFields = [name: string, value: string | SeenFile][];

export async function seenFile(file: File): Promise<SeenFile> {
  const hash = new Bun.CryptoHasher('sha256').update(await file.arrayBuffer()).digest('hex');
  return { filename: file.name, type: file.type, hash };
}
