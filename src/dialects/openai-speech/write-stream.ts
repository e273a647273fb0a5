// Spoken audio for the client: as bytes, or as events with base64. Audio that broke off cannot be continued, because another
// run speaks otherwise; bytes have no place for an error, so the connection is closed without an end.

import { editMembers, isObject } from '../../kit/json/json.ts';
import type { FinalUsage, Sent, StreamEvent, StreamWriter } from '../dialect.ts';
import { writeSse } from '../stream/sse.ts';
import { withCost } from '../with-cost.ts';
import { audioOf } from './read-stream.ts';

export function createStreamWriter(isEvents: boolean): StreamWriter {
  const sent: Sent = { hasOutput: false, hasMedia: false, tokens: 0, images: 0 };
  let last: StreamEvent | undefined;
  const write = (event: StreamEvent): string => {
    if (!event.document) return '';
    if (event.kind === 'held') {
      last = event;
      return '';
    }
    sent.hasOutput = true;
    sent.hasMedia = true;
    return isEvents ? writeSse(event.document.text) : audioOf(event.document.value).toString('latin1');
  };
  return {
    ...(isEvents ? {} : { encode: (frames: string) => Buffer.from(frames, 'latin1') }),
    keepAlive: () => (isEvents ? ': ping\n\n' : ''),
    write,
    rename: () => {},
    sentText: () => undefined,
    sent: () => sent,
    continue() {
      last = undefined;
      return { caughtUp: () => !sent.hasOutput, write: (event) => (sent.hasOutput ? 'mismatch' : write(event)) };
    },
    stopAtBound: () => '',
    end: (final) => (isEvents ? lastEvent(last, final) : ''),
    error: (body) => (isEvents ? writeSse(JSON.stringify(body)) : undefined),
  };
}

function lastEvent(event: StreamEvent | undefined, { usage, cost }: FinalUsage): string {
  if (!event?.document) return '';
  const { input, output } = usage.buckets;
  const counted = { input_tokens: input, output_tokens: output, total_tokens: input + output };
  const reported = isObject(event.document.value.usage) ? event.document.value.usage : counted;
  return writeSse(editMembers(event.document, { usage: withCost(reported, cost) }));
}
