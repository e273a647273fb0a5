// What a client of Google's format makes of a stream, and of an error in Google's envelope.

import type { Answer } from './answer.ts';
import { type Assembled, add, createAssembled, must, noteModel } from './assemble.ts';
import { parseSse } from './sse.ts';

export function assembleGemini(text: string): Assembled {
  const answer = createAssembled();
  for (const { event, data, json } of parseSse(text)) {
    must(event === undefined && json, `no chunk: ${data}`);
    must(!answer.complete && !answer.error, `a chunk after the end: ${data}`);
    if (json.error) {
      answer.error = googleFault(json.error);
      continue;
    }
    noteModel(answer, json.modelVersion);
    const candidate = json.candidates[0];
    const parts = candidate.content?.parts ?? [];
    for (const part of parts) addPart(answer, part);
    if (isKeepAlive(candidate, parts)) answer.keepAlives++;
    answer.finish = candidate.finishReason;
    answer.usage = json.usageMetadata;
    must(answer.usage === undefined || answer.finish, 'usage before the end');
    answer.complete = answer.usage !== undefined;
  }
  return answer;
}

function addPart(answer: Assembled, { text, thought, functionCall: call }: Answer): void {
  add(answer, thought ? 'thought' : 'text', text);
  if (!call) return;
  add(answer, `${call.id}/name`, call.name);
  add(answer, `${call.id}/arguments`, JSON.stringify(call.args));
}

function isKeepAlive(candidate: Answer, parts: readonly Answer[]): boolean {
  return candidate.finishReason === undefined && parts.every(({ text }) => text === '');
}

/** The members that the other envelopes have, by their names there. */
export function googleFault(error: Answer): Answer {
  const detail = (type: string) => error.details.find((one: Answer) => one['@type'].endsWith(`.${type}`));
  const { reason, metadata } = detail('ErrorInfo');
  // The last link is that to the docs.
  const actions = detail('Help').links.slice(0, -1);
  return {
    ...metadata,
    message: error.message,
    code: reason,
    actions: actions.map(({ description, url }: Answer) => ({
      method: /\((\w+)\)$/.exec(description)?.[1],
      href: url,
    })),
  };
}
