// Gemini's own format, as the upstream's side of it. Its calls are told apart by name and order; ids are optional there,
// and this model gives none.

import type { Answer } from '../answer.ts';
import { jsonScript, sseScript, sseText, UPSTREAM_MODEL } from '../openai-chat.ts';
import type { Call, Format } from './model.ts';
import { forcedTool, inLines } from './text-of.ts';

const USAGE = { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 };
const callPart = ({ name, input }: Call) => ({ functionCall: { name, args: input } });

function answer(parts: unknown[], { isLast }: { isLast: boolean }): Record<string, unknown> {
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, ...(isLast ? { finishReason: 'STOP' } : {}) }],
    modelVersion: UPSTREAM_MODEL,
    responseId: 'gem-1',
    ...(isLast ? { usageMetadata: USAGE } : {}),
  };
}

export const geminiFormat: Format = {
  hasPath: (path) => /:(generateContent|streamGenerateContent)(\?|$)/.test(path),
  isStream: ({ path }) => path.includes(':streamGenerateContent'),

  hear({ json }) {
    const parts: Answer[] = json.contents.flatMap(({ role, parts: own }: Answer) =>
      own.map((part: Answer) => ({ role, ...part })),
    );
    const tools = (json.tools ?? []).flatMap(({ functionDeclarations = [] }: Answer) =>
      functionDeclarations.map(({ name }: Answer) => name),
    );
    const { mode, allowedFunctionNames: [allowed] = [] } = json.toolConfig?.functionCallingConfig ?? {};
    return {
      system: inLines((json.systemInstruction?.parts ?? []).map(({ text }: Answer) => text)),
      prompt: inLines(parts.flatMap(({ role, text }) => (role === 'model' ? [] : [text ?? '']))),
      tools,
      forcedTool: forcedTool(mode === 'ANY' ? allowed : undefined, mode === 'ANY', tools),
      schema: json.generationConfig?.responseJsonSchema ?? json.generationConfig?.responseSchema,
      calls: parts.flatMap(({ functionCall }) =>
        functionCall ? [{ id: functionCall.id, name: functionCall.name, input: functionCall.args }] : [],
      ),
      results: parts.flatMap(({ functionResponse }) =>
        functionResponse ? [{ id: functionResponse.id, text: JSON.stringify(functionResponse.response) }] : [],
      ),
    };
  },

  whole: ({ pieces, calls }) =>
    jsonScript(
      200,
      answer([...(pieces.length > 0 ? [{ text: pieces.join('') }] : []), ...calls.map(callPart)], { isLast: true }),
    ),

  stream({ pieces, calls }) {
    const parts = [...pieces.map((text) => ({ text })), ...calls.map(callPart)];
    return sseScript(
      parts.map((part, index) => sseText(JSON.stringify(answer([part], { isLast: index === parts.length - 1 })))),
    );
  },
};
