// What customers do: ask in one of three formats, read to some point, and leave.

import type { Customer } from './market.ts';
import type { Speech } from './vendor.ts';

type Fields = Record<string, unknown>;

interface Format {
  path: string;
  model: string;
  body(prompt: string, fields: Fields): Fields;
}

/** Each format and the model whose first route speaks it. Fields are those of the format, but for `max_tokens`. */
export const FORMATS: Readonly<Record<Speech, Format>> = {
  chat: {
    path: '/v1/chat/completions',
    model: 'by-chat',
    body: (prompt, fields) => ({ messages: [{ role: 'user', content: prompt }], max_tokens: 1_000, ...fields }),
  },
  messages: {
    path: '/v1/messages',
    model: 'by-messages',
    body: (prompt, fields) => ({ messages: [{ role: 'user', content: prompt }], max_tokens: 1_000, ...fields }),
  },
  responses: {
    path: '/v1/responses',
    model: 'by-responses',
    body: (prompt, { max_tokens = 1_000, ...fields }) => ({ input: prompt, max_output_tokens: max_tokens, ...fields }),
  },
};

export const SPEECHES: readonly Speech[] = ['chat', 'messages', 'responses'];

/** A call in this format; the model is that of the format unless `fields` name another. */
export function ask(customer: Customer, speech: Speech, fields: Fields = {}, signal?: AbortSignal): Promise<Response> {
  const { path, model, body } = FORMATS[speech];
  return customer.open(path, body('Say a few words.', { model, ...fields }), signal ? { signal } : {});
}

/** Reads until this text has come. */
export async function readUntil(response: Response, text: string): Promise<string> {
  const decoder = new TextDecoder();
  let got = '';
  for await (const bytes of response.body ?? []) {
    got += decoder.decode(bytes, { stream: true });
    if (got.includes(text)) return got;
  }
  throw new Error(`the stream ended before ${text}: ${got}`);
}
