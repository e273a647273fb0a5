// When an attempt is late, so that another channel is tried, and when it is aborted. It is late after five times the median of
// the route's last answers of that size; without these, the limit grows with the size of the request.

import type { Model } from '../catalog/catalog.ts';
import type { AnswerSize } from '../channels/answer-times.ts';
import type { RelayRequest } from '../dialects/dialect.ts';
import type { Admission } from './call.ts';
import { maySpendUnseen } from './needs-report.ts';
import type { Step } from './plan.ts';
import type { SilenceLimits } from './watch.ts';

/** Models with hidden reasoning, and those that make images or audio, may be silent for long. */
const MIN_MS = { shown: 8_000, unseen: 30_000 };
const MAX_MS = { shown: 60_000, unseen: 120_000 };
const MEDIANS = 5;
/** Assumed for a route without history: 10,000 tokens read and 50 written per second. */
const MS_PER_TOKEN = { first_token: 0.1, whole: 20 };

export function silenceLimits(admission: Admission, step: Step): SilenceLimits {
  const { call } = admission;
  const { route, model } = step;
  const { stream, images, isUncut } = call.request;
  const kind = images > 0 || isUncut || maySpendUnseen(call, step, 0) ? 'unseen' : 'shown';
  const lateMs = typeof model.hedge === 'number' ? model.hedge : lateAfter(admission, step, kind);
  if (!stream) return { lateMs, mostMs: Number.POSITIVE_INFINITY };
  if (route.firstTokenMs === 'auto') return { lateMs: Math.min(lateMs, MAX_MS[kind]), mostMs: MAX_MS[kind] };
  const mostMs = route.firstTokenMs;
  return { lateMs: model.hedge === 'off' ? mostMs : Math.min(lateMs, mostMs), mostMs };
}

function lateAfter(admission: Admission, step: Step, kind: 'shown' | 'unseen'): number {
  const { channel, model } = step.route;
  const size = sizeOf(admission, step);
  const unknown = Math.min(MIN_MS[kind] + size.tokens * MS_PER_TOKEN[size.kind], MAX_MS[kind]);
  const median = admission.call.tools.answerTimes.median(channel.name, model, size);
  if (median === undefined) return inSeconds(unknown);
  // A whole answer may always be as long as its bound.
  if (size.kind === 'whole') return inSeconds(Math.max(median * MEDIANS, unknown));
  return inSeconds(Math.min(Math.max(median * MEDIANS, MIN_MS[kind]), MAX_MS[kind]));
}

/** Roughly: counting the tokens of every prompt would cost too much here. */
const BYTES_PER_TOKEN = 4;

/** The class of answers that its time is compared with. */
export function sizeOf({ call, maxOutputTokens }: Admission, { model }: Pick<Step, 'model'>): AnswerSize {
  return answerSize(call.request, model, maxOutputTokens);
}

export function answerSize({ stream, input }: RelayRequest, model: Model, maxOutputTokens: number): AnswerSize {
  if (!stream) return { kind: 'whole', tokens: maxOutputTokens };
  return { kind: 'first_token', tokens: input.isOpen ? model.contextTokens : Math.ceil(input.upper / BYTES_PER_TOKEN) };
}

/** Timers of the same length are cheap. */
function inSeconds(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}
