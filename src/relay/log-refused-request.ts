// Logs the structure of a translated request that an upstream refused: the translation may be wrong.

import type { Carrier } from '../dialects/carrier.ts';
import { describeRefused } from '../dialects/describe-refused.ts';
import type { UpstreamFields } from '../dialects/dialect.ts';
import type { UpstreamBody } from '../dialects/form/form.ts';
import type { FetchedMedia } from '../dialects/media/named-media.ts';
import type { AttemptFailed } from './attempt-failed.ts';
import type { Admission, RelayTools } from './call.ts';
import type { Step } from './plan.ts';
import { type Prefill, writeBody } from './write-body.ts';

/** The parts of a translated request, enough to write it again, because the text is not kept. */
export interface Translated {
  carrier: Carrier;
  fields: UpstreamFields;
  prefill: Prefill | undefined;
  fetched: FetchedMedia | undefined;
  isDescribed: boolean;
}

/** Larger requests are not described: writing and scanning them again would delay other requests. */
const MAX_DESCRIBED = 256 * 1024;

/** A form is never translated. */
export function isDescribable(body: UpstreamBody): boolean {
  return typeof body === 'string' && body.length <= MAX_DESCRIBED;
}

/** Logs only refusals of the request itself. */
export function logRefusedRequest(
  { log }: RelayTools,
  admission: Admission,
  { model, route }: Step,
  sent: Translated,
  { refusal, isChannelSpecific }: AttemptFailed,
): void {
  // A refusal of another account's content is not an error of the translation.
  if (refusal?.code !== 'invalid_request' || isChannelSpecific) return;
  const { requestId, endpoint } = admission.call;
  admission.refusedTranslation = true;
  log('warn', 'translation_refused', {
    request_id: requestId,
    model: model.id,
    channel: route.channel.name,
    endpoint,
    detail: describeSent(sent, refusal.details.param),
  });
}

function describeSent(
  { carrier, fields, prefill, fetched, isDescribed }: Translated,
  param: string | undefined,
): string {
  if (!isDescribed) return 'sent too much to be described';
  return describeRefused(String(writeBody(carrier, fields, prefill, fetched)), param);
}
