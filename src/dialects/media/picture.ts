// A picture that a model made, as text: no client's format of answers has a block for it, and so it is at least not lost.
// The model did not write that text, so its tokens are not counted.

import type { AnswerEvent } from '../translate/answer-events.ts';

export function pictureText(address: string): string {
  return `![image](${address})`;
}

export function isPicture(event: AnswerEvent): boolean {
  return event.type === 'delta' && event.isMedia === true;
}
