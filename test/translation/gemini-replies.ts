// An upstream that is Gemini.

import { endingOf, type Reply, type Said } from './said.ts';

const HEAD = { modelVersion: 'upstream-model', responseId: 'upstream-response' };
const FINISH = { end: 'STOP', length: 'MAX_TOKENS', tool: 'STOP', filter: 'SAFETY' };
const USAGE = { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 };

export function geminiReply(said: Said): Reply {
  const { reasoning = [], text = [], textSignature, calls = [], usage = USAGE } = said;
  const finish = FINISH[endingOf(said)];
  const thoughts = reasoning.map((piece) => `{"text":${JSON.stringify(piece)},"thought":true}`);
  const words = text.map((piece) => `{"text":${JSON.stringify(piece)}}`);
  const asked = calls.map(({ name, arguments: pieces, signature, id }) => {
    const own = id === undefined ? '' : `"id":${JSON.stringify(id)},`;
    const signed = signature === undefined ? '' : `,"thoughtSignature":${JSON.stringify(signature)}`;
    return `{"functionCall":{${own}"name":${JSON.stringify(name)},"args":${pieces.join('') || '{}'}}${signed}}`;
  });
  const signed = textSignature === undefined ? [] : [`{"text":"","thoughtSignature":${JSON.stringify(textSignature)}}`];
  const parts = [...thoughts, ...words, ...signed, ...asked];
  return {
    whole: chunkText(parts, finish, usage),
    stream: [
      ...parts.map((part) => `data: ${chunkText([part], undefined, usage)}\n\n`),
      `data: ${chunkText([], finish, usage)}\n\n`,
    ],
  };
}

/** Written by hand, so that the arguments of a call keep their own text. */
function chunkText(parts: readonly string[], finish: string | undefined, usage: Said['usage']): string {
  const content = `"content":{"parts":[${parts.join(',')}],"role":"model"}`;
  const candidate = `{${content}${finish === undefined ? '' : `,"finishReason":"${finish}"`},"index":0}`;
  const rest = JSON.stringify({ ...(usage === null ? {} : { usageMetadata: usage }), ...HEAD });
  return `{"candidates":[${candidate}],${rest.slice(1)}`;
}

export function geminiChunk(parts: readonly unknown[], finish?: string, usage: Said['usage'] = USAGE): unknown {
  return {
    candidates: [{ content: { parts, role: 'model' }, ...(finish ? { finishReason: finish } : {}), index: 0 }],
    ...(usage === null ? {} : { usageMetadata: usage }),
    ...HEAD,
  };
}
