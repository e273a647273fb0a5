// The body of one attempt: fetches the media that it names, and writes it in the format of the route, with a prefill if there is
// one. If the upstream refuses a translated one, its structure is logged: the translation may be wrong.

import type { Carrier } from '../dialects/carrier.ts';
import type { UpstreamFields } from '../dialects/dialect.ts';
import type { UpstreamBody } from '../dialects/form/form.ts';
import type { FetchedMedia } from '../dialects/media/named-media.ts';
import { describeRefused } from '../dialects/refused.ts';
import { Fault } from '../faults/fault.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { Admission } from './call.ts';
import type { Step } from './plan.ts';
import type { Watch } from './watch.ts';

/** The part of an answer that the client has already. */
export interface Prefill {
  text: string;
  tokens: number;
}

/** Fetched media is dropped once it was sent, so only the attempt that fetched most needs memory. */
export function fetchNamed(admission: Admission, { needs }: Carrier, { signal }: Watch): Promise<FetchedMedia> {
  const { tools, capacity } = admission.call;
  let fetched = 0;
  const grow = (bytes: number) => {
    fetched += bytes;
    const more = fetched - admission.fetchedBytes;
    if (more <= 0) return;
    capacity.grow(more);
    admission.fetchedBytes = fetched;
  };
  return tools.fetchMedia(needs, signal, grow).catch(refuse);
}

export function writeBody(
  carrier: Carrier,
  fields: UpstreamFields,
  prefill: Prefill | undefined,
  fetched: FetchedMedia | undefined,
): UpstreamBody {
  try {
    return carrier.writeRequest(fields, fetched, prefill?.text);
  } catch (error) {
    return refuse(error);
  }
}

/** Media that cannot be fetched, or has another type than declared, is the client's error. */
function refuse(error: unknown): never {
  throw error instanceof Fault ? new AttemptFailed('request_refused', { refusal: error }) : error;
}

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
  admission: Admission,
  { model, route }: Step,
  sent: Translated,
  { refusal, isChannelSpecific }: AttemptFailed,
): void {
  // A refusal of another account's content is not an error of the translation.
  if (refusal?.code !== 'invalid_request' || isChannelSpecific) return;
  const { tools, requestId, endpoint } = admission.call;
  admission.refusedTranslation = true;
  tools.log('warn', 'translation_refused', {
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
