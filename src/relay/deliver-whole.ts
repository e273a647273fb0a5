// A JSON answer: written, settled, and only then sent, with `model` as the client knows it and the cost in the headers.

import { answerHeaders, costHeaders } from './answer-headers.ts';
import type { WholeAnswer } from './attempt.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { BegunAnswer } from './begin-answer.ts';
import { billAnswer } from './bill.ts';
import type { Admission, Answer, RelayTools } from './call.ts';
import type { Closing } from './close.ts';

export async function deliverWhole(
  tools: RelayTools,
  admission: Admission,
  closing: Closing,
  answer: BegunAnswer<WholeAnswer>,
): Promise<Answer> {
  const { call } = admission;
  const { step, begun } = answer;
  const channel = step.route.channel.name;
  if (call.gone.aborted) throw new AttemptFailed('client_gone');
  const bill = billAnswer(call, step.model, begun.facts);
  if (bill.reported === 'invalid') tools.alarms.raise('usage_invalid', { request_id: call.requestId, channel });
  const isTold = begun.carrier.isTranslated || bill.isRestated;
  const model = step.model === call.model ? call.request.model : step.model.id;
  // Written before the settlement: once money has moved, nothing may fail any more.
  const body = call.dialect.writeAnswer(begun.document, model, call.request, isTold ? bill : undefined);
  const headers = answerHeaders(tools, admission, channel, begun);
  const settled = await closing.settle('ok', bill, { first: answer, last: answer });
  return { headers: { ...headers, ...costHeaders(settled), 'content-type': 'application/json' }, body };
}
