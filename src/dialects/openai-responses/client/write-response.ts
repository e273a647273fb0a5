// The response object around an answer: its id, its status, and the settings of the request, in the client's own bytes.

import { openMember, RawJson, type RawValue } from '../../../kit/json/raw-json.ts';
import type { AnswerContext } from '../../translate/adapters.ts';

type Status = 'in_progress' | 'completed' | 'incomplete';

export interface Standing {
  status: Status;
  /** Why it is incomplete. */
  reason?: string | undefined;
  output: readonly RawValue[];
}

/** The values of settings that the client did not set. */
const DEFAULTS: Record<string, RawValue> = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
};

/** An id that a later run of the same request has, too. */
export function ownId(prefix: string, { requestId }: AnswerContext, index?: number): string {
  const bare = requestId.replace(/^req[-_]/, '');
  return `${prefix}_${bare}${index === undefined ? '' : `_${index}`}`;
}

export function createResponseObject(context: AnswerContext): (standing: Standing) => RawValue {
  const { asked, model, createdAt } = context;
  const echoed = Object.fromEntries(
    Object.entries(DEFAULTS).map(([name, value]): [string, RawValue] => {
      const raw = openMember(asked, name)?.text;
      return [name, raw === undefined || raw === 'null' ? value : new RawJson(raw)];
    }),
  );
  return ({ status, reason, output }) => ({
    id: ownId('resp', context),
    object: 'response',
    created_at: createdAt,
    status,
    background: false,
    error: null,
    incomplete_details: reason === undefined ? null : { reason },
    model,
    output: [...output],
    previous_response_id: null,
    service_tier: 'default',
    store: false,
    ...echoed,
    usage: null,
  });
}
