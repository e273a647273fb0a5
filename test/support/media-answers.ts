// What an upstream answers that makes vectors and pictures.

import { jsonScript } from './openai-chat.ts';
import type { Script } from './script.ts';

/** Exact as 32-bit floats, so that a detour through base64 shows. */
export const VECTOR = [0.5, -1.25, 3];
/** One pixel. */
export const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const vectorAnswer = (count = 1): Script =>
  jsonScript(200, {
    object: 'list',
    data: Array.from({ length: count }, (_, index) => ({ object: 'embedding', index, embedding: VECTOR })),
    model: 'scripted-2026-01',
    usage: { prompt_tokens: 4, total_tokens: 4 },
  });

export const pictureAnswer = (): Script => jsonScript(200, { created: 1_790_000_000, data: [{ b64_json: PICTURE }] });
