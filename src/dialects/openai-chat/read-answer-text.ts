// The text of a whole chat answer, for the MCP tool that returns it in another form.

import { isObject, type JsonObject } from '../../kit/json/json.ts';
import { readSegments } from './read-output.ts';

export interface AnswerText {
  model: string;
  /** Text of the first choice. A refusal counts as text. */
  text: string;
  finishReason: string | null;
}

const TEXT_SLOTS = ['0/content', '0/refusal'];

export function readAnswerText({ model, choices }: JsonObject): AnswerText {
  const [choice] = Array.isArray(choices) ? choices : [];
  const { message, finish_reason: finish } = isObject(choice) ? choice : {};
  const segments = readSegments(message, 0).filter(({ slot }) => TEXT_SLOTS.includes(slot));
  return {
    model: typeof model === 'string' ? model : '',
    text: segments.map(({ text }) => text).join(''),
    finishReason: typeof finish === 'string' ? finish : null,
  };
}
