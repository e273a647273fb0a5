// The text of a whole chat answer, for callers inside the gateway that show it in another form.

import { isObject, type JsonObject } from '../../kit/json/json.ts';
import { readSegments } from './read-output.ts';

export interface Spoken {
  model: string;
  /** Text of the first choice. A refusal counts as text. */
  text: string;
  finishReason: string | null;
}

const SPOKEN_SLOTS = ['0/content', '0/refusal'];

export function readSpoken({ model, choices }: JsonObject): Spoken {
  const [choice] = Array.isArray(choices) ? choices : [];
  const { message, finish_reason: finish } = isObject(choice) ? choice : {};
  const said = readSegments(message, 0).filter(({ slot }) => SPOKEN_SLOTS.includes(slot));
  return {
    model: typeof model === 'string' ? model : '',
    text: said.map(({ text }) => text).join(''),
    finishReason: typeof finish === 'string' ? finish : null,
  };
}
