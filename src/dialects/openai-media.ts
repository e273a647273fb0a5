// What the OpenAI formats of media share: the fields of their usage, and a stream to the client.

import { editMembers, isObject, type Json, type JsonObject } from '../kit/json/json.ts';
import { NO_BUCKETS } from '../store/rows.ts';
import { readCount, withCost } from './counts.ts';
import type { FinalUsage, ReportedUsage, Sent, StreamEvent, StreamWriter, UsageReport } from './dialect.ts';
import { writeSse } from './stream/sse.ts';

export function readMediaUsage(usage: Json | undefined): UsageReport {
  if (usage === undefined || usage === null) return 'absent';
  const input = isObject(usage) ? readCount(usage.input_tokens) : undefined;
  const output = isObject(usage) ? readCount(usage.output_tokens) : undefined;
  if (input === undefined || output === undefined) return 'invalid';
  return { buckets: { ...NO_BUCKETS, input, output }, reasoning: 0 };
}

export function writeMediaUsage({ buckets: { input, output } }: ReportedUsage): JsonObject {
  return { input_tokens: input, output_tokens: output, total_tokens: input + output };
}

interface MediaRules {
  /** Counts an event that is sent. */
  note(event: StreamEvent, sent: Sent): void;
  /** An event as the client gets it; by default as it came. */
  write?(event: StreamEvent): string;
  /** The usage at the end, where the upstream reports none. */
  usageOf?(billed: ReportedUsage): JsonObject;
}

/** Only the last events are changed: they bear the cost. A stream that broke off is not continued: another run says otherwise. */
export function createMediaWriter({ note, write = writeSame, usageOf }: MediaRules): StreamWriter {
  const sent: Sent = { hasOutput: false, hasMedia: false, tokens: 0, images: 0 };
  let hasSent = false;
  let held: StreamEvent[] = [];

  function send(event: StreamEvent): string {
    if (!event.document) return '';
    if (event.kind === 'held') {
      held.push(event);
      return '';
    }
    hasSent = true;
    note(event, sent);
    return write(event);
  }

  function writeLast({ document, name }: StreamEvent, { usage: billed, cost }: FinalUsage): string {
    if (!document) return '';
    const { usage } = document.value;
    const shown = isObject(usage) ? usage : (usageOf?.(billed) ?? {});
    return writeSse(editMembers(document, { usage: withCost(shown, cost) }), name);
  }

  return {
    write: send,
    keepAlive: () => ': ping\n\n',
    rename: () => {},
    sentText: () => undefined,
    transcript: { sent, plainTokens: () => 0 },
    continue() {
      held = [];
      const mayBegin = !hasSent;
      return { caughtUp: () => mayBegin, write: (event) => (mayBegin ? send(event) : 'mismatch') };
    },
    stopAtBound: () => '',
    end: (final) => held.map((event) => writeLast(event, final)).join(''),
    error: (body) => writeSse(JSON.stringify(body)),
  };
}

function writeSame({ document, name }: StreamEvent): string {
  return document ? writeSse(document.text, name) : '';
}
