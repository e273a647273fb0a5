// The body of one attempt: fetches the media that it names, and writes it in the format of the route, with a prefill if there is
// one.

import type { Carrier } from '../dialects/carrier.ts';
import type { UpstreamFields } from '../dialects/dialect.ts';
import type { UpstreamBody } from '../dialects/form/form.ts';
import type { FetchedMedia } from '../dialects/media/named-media.ts';
import { Fault } from '../faults/fault.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { Admission, RelayTools } from './call.ts';
import type { Watch } from './watch.ts';

/** The part of an answer that the client has already. */
export interface Prefill {
  text: string;
  tokens: number;
}

/** Fetched media is dropped once it was sent, so only the attempt that fetched most needs memory. */
export function fetchNamed(
  tools: RelayTools,
  admission: Admission,
  { needs }: Carrier,
  { signal }: Watch,
): Promise<FetchedMedia> {
  let fetched = 0;
  const grow = (bytes: number) => {
    fetched += bytes;
    const more = fetched - admission.fetchedBytes;
    if (more <= 0) return;
    admission.call.capacity.grow(more);
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
    return prefill ? carrier.writePrefill(fields, prefill.text, fetched) : carrier.writeRequest(fields, fetched);
  } catch (error) {
    return refuse(error);
  }
}

/** Media that cannot be fetched, or has another type than declared, is the client's error. */
function refuse(error: unknown): never {
  throw error instanceof Fault ? new AttemptFailed('request_refused', { refusal: error }) : error;
}
