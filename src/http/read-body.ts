// Bodies from clients: capped before they are read, complete within a time, valid UTF-8, and bounded JSON.

import { fault } from '../faults/fault.ts';
import type { Clock } from '../kit/clock.ts';
import { type JsonDocument, type JsonProblem, JsonRefused, readJsonObject } from '../kit/json.ts';

const BODY_TIMEOUT_MS = 30_000;

/** What the headers alone can refuse; called before the key is checked. */
export function checkDeclaredBody(request: Request, maxBytes: number): void {
  const declared = request.headers.get('content-length');
  if (declared !== null && Number(declared) > maxBytes) throw tooLarge(maxBytes);
  const encoding = request.headers.get('content-encoding');
  if (encoding !== null && encoding.toLowerCase() !== 'identity') {
    throw fault('invalid_request', {
      message: 'Send the body without content-encoding: compressed bodies are not taken.',
    });
  }
}

export async function readBodyText(request: Request, maxBytes: number, clock: Clock): Promise<string> {
  if (!request.body) return '';
  const reader = request.body.getReader();
  let cancelTimer = () => {};
  const slow = new Promise<never>((_, reject) => {
    cancelTimer = clock.after(BODY_TIMEOUT_MS, () => reject(fault('request_timeout')));
  });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), slow]);
      if (done) return text + decode(decoder);
      bytes += value.byteLength;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      text += decode(decoder, value);
    }
  } finally {
    cancelTimer();
    reader.cancel().catch(() => {});
  }
}

export async function readBodyJson(request: Request, maxBytes: number, clock: Clock): Promise<JsonDocument> {
  return parseBody(await readBodyText(request, maxBytes, clock));
}

/** Like `readBodyJson`, but an empty body means an empty object. */
export async function readOptionalJson(request: Request, maxBytes: number, clock: Clock): Promise<JsonDocument> {
  const text = await readBodyText(request, maxBytes, clock);
  return parseBody(text.trim() === '' ? '{}' : text);
}

function parseBody(text: string): JsonDocument {
  try {
    return readJsonObject(text);
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error;
    throw fault('invalid_request', { param: fieldName(error.member), message: EXPLANATIONS[error.problem] });
  }
}

/** Names of API fields are told; anything else that stands as a name may be content. */
function fieldName(member: string | undefined): string | undefined {
  return member !== undefined && /^[a-z_]{1,40}$/.test(member) ? member : undefined;
}

const EXPLANATIONS: Record<JsonProblem, string> = {
  not_json: 'Send a valid JSON body: this one cannot be parsed.',
  not_object: 'Send a JSON object as the body.',
  too_deep: 'Send a flatter body: this one is nested too deeply.',
  too_many_values: 'Send a body with fewer values.',
  duplicate_member: 'Send every top-level field once: one of them is there twice.',
};

function tooLarge(maxBytes: number) {
  return fault('request_too_large', { message: `Send a smaller body: at most ${maxBytes} bytes are taken here.` });
}

function decode(decoder: TextDecoder, bytes?: Uint8Array): string {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined });
  } catch {
    throw fault('invalid_request', { message: 'Send the body as valid UTF-8.' });
  }
}
