// Several answers to one request exist in the chat format only.

import { refuseField } from '../fields.ts';
import type { Knob } from './conversation.ts';

export function requireOneAnswer({ name, value }: Knob): void {
  if (value !== 1) refuseField(name, `Set ${name} to 1, and send the request again for each further answer.`);
}
