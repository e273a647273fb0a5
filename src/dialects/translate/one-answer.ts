// Several answers to one request exist in the chat format only.

import { refuseField } from '../fields.ts';
import type { Setting } from './conversation.ts';

export function requireOneAnswer({ name, value }: Setting): void {
  if (value !== 1)
    refuseField(name, `This model gives one answer per request. Set ${name} to 1, and repeat the request for more.`);
}
