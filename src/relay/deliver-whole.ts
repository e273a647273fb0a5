// A JSON answer: settled first, then sent, with `model` as the client named it and the cost in the headers.

import { editMembers } from '../kit/json.ts';
import { answerHeaders, costHeaders } from './answer-headers.ts';
import type { WholeAnswer } from './attempt.ts';
import { billAnswer } from './bill.ts';
import type { Admission, Answer, RelayTools } from './call.ts';
import type { Closing } from './close.ts';

export async function deliverWhole(
  tools: RelayTools,
  admission: Admission,
  closing: Closing,
  { route, document, facts }: WholeAnswer,
): Promise<Answer> {
  const { call } = admission;
  const channel = route.channel.name;
  if (facts.usage === 'invalid') tools.alarms.raise('usage_invalid', { request_id: call.requestId, channel });
  const settled = await closing.settle('ok', billAnswer(call, facts), { channel, firstTokenMs: null });
  return {
    headers: {
      ...answerHeaders(tools, admission, channel),
      ...costHeaders(settled),
      'content-type': 'application/json',
    },
    body: editMembers(document, { model: call.request.model }),
  };
}
