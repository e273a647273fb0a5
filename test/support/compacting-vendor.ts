// A vendor that compacts conversations: each of its accounts reads only its own compactions. Answers to other requests say
// what the compactions of the request stand for.

import type { Answer } from './answer.ts';
import { jsonScript } from './openai-chat.ts';
import { RESPONSE_USAGE, responseAnswer } from './openai-responses.ts';
import type { Script } from './script.ts';
import type { SeenRequest } from './upstream.ts';

const MARK = 'gAAA-';

/** What a compaction stands for: the account that it was made for, and the conversation. */
function sealFor(account: string, items: readonly Answer[]): string {
  return MARK + Buffer.from(JSON.stringify({ account, items })).toString('base64url');
}

function open(content: string): Answer {
  return JSON.parse(Buffer.from(content.slice(MARK.length), 'base64url').toString());
}

const isCompaction = ({ type }: Answer) => type === 'compaction';

export function compactingVendor({ path, headers, json }: SeenRequest): Script {
  const account = headers.authorization ?? '';
  const items: Answer[] = json.input;
  const opened = items.filter(isCompaction).map(({ encrypted_content: content }) => open(content));
  if (opened.some((one) => one.account !== account)) {
    const error = { code: 'invalid_encrypted_content', message: 'The encrypted content could not be verified.' };
    return jsonScript(400, { error });
  }
  const known = [...opened.flatMap((one) => one.items), ...items.filter((item) => !isCompaction(item))];
  if (!path.endsWith('/compact')) return responseAnswer({ pieces: [JSON.stringify(known)] });
  return jsonScript(200, {
    id: 'resp_001',
    object: 'response.compaction',
    created_at: 1_764_967_971,
    output: [
      ...items.filter(({ role }) => role === 'user'),
      { id: 'cmp_001', type: 'compaction', encrypted_content: sealFor(account, known) },
    ],
    usage: RESPONSE_USAGE,
  });
}
