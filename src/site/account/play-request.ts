// The request of a turn, from what the script of the playground sent: a model, the messages so far, and two settings.

import { fault } from '../../faults/fault.ts';
import { isObject } from '../../kit/json/json.ts';

const MAX_CHARS = 100_000;
const MAX_MESSAGES = 400;
/** A character has at most four bytes, and some are escaped. */
export const MAX_BODY_BYTES = 1024 * 1024;

const ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant']);

interface Message {
  role: string;
  content: string;
}

export function readTurn(given: unknown): Record<string, unknown> {
  const { model, messages, temperature, max_tokens: maxTokens } = isObject(given) ? given : {};
  if (typeof model !== 'string' || !isConversation(messages)) {
    throw fault('invalid_request', { message: 'model must be text, and messages must be texts of a chat.' });
  }
  const chars = messages.reduce((sum, { content }) => sum + content.length, 0);
  if (chars > MAX_CHARS || messages.length > MAX_MESSAGES) {
    throw fault('invalid_request', {
      param: 'prompt',
      message: `The chat is longer than ${MAX_CHARS} characters. Begin a new one.`,
    });
  }
  return {
    model,
    messages: messages.map(({ role, content }) => ({ role, content })),
    ...(typeof temperature === 'number' ? { temperature } : {}),
    ...(typeof maxTokens === 'number' ? { max_tokens: maxTokens } : {}),
    stream: true,
    stream_options: { include_usage: true },
  };
}

/** Its last message is what is asked now. */
function isConversation(given: unknown): given is Message[] {
  if (!Array.isArray(given) || !given.every(isMessage)) return false;
  return (given.at(-1)?.content ?? '').trim() !== '';
}

function isMessage(given: unknown): given is Message {
  return isObject(given) && ROLES.has(given.role) && typeof given.content === 'string';
}
