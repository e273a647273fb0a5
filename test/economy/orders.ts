// Orders: what a customer asks for, how the vendor answers, and how the customer ends it. Drawn at random.

import { createGate, type Gate } from '../support/eventually.ts';
import { FORMATS } from './clients.ts';
import type { Draw } from './random.ts';
import type { Finish, Plan, Report, Speech } from './vendor.ts';

type Fields = Record<string, unknown>;

export const ENDINGS = [
  'complete',
  'left before the first byte',
  'left at the first word',
  'left in the middle',
  'left after the end',
  'own stop sequence',
  'stop sequence of the gateway',
  'output limit',
  'empty answer',
  'refused answer',
  'broken stream',
  'failed try',
  'refused try',
  'broken and repeated',
] as const;
export type Ending = (typeof ENDINGS)[number];

export const THINKING = ['none', 'shown', 'hidden'] as const;
export type Thinking = (typeof THINKING)[number];

/** When the client hangs up: `text` is what it waits for. */
export type Leave = { when: 'asked' | 'ended' } | { when: 'read'; text: string };

export interface Order {
  /** Stands in the prompt, so that a vendor finds its plan. */
  id: string;
  speech: Speech;
  stream: boolean;
  thinking: Thinking;
  ending: Ending;
  report: Report;
  body: Fields;
  /** One for each try that the gateway makes; the last one for all others. */
  plans: readonly Plan[];
  leave: Leave | undefined;
  /** The gateway must end the call at once where the client does: nothing is hidden that a report would tell. */
  isStoppedAtOnce: boolean;
  /** The gateway must read on for the report, which will come. */
  isReadOn: boolean;
  /** The vendor goes on when it is opened. */
  gate: Gate;
}

/** Endings that need a stream. */
const STREAMED: readonly Ending[] = [
  'left at the first word',
  'left in the middle',
  'stop sequence of the gateway',
  'broken stream',
  'broken and repeated',
];
const REFUSES: Plan = { refuses: 500 };
/** The gateway passes four of them on to a chat upstream, and watches for five by itself. */
const WATCHED = ['S1', 'S2', 'S3', 'S4', ' halt'];
const SYLLABLES = [' ka', 'ri', ' mo', 'ne', ' ta', 'lu', ' wi', 'so'];

export interface OrderOptions {
  id: string;
  ending: Ending;
  /** The number that the customer's own models end in. */
  models: string;
}

export function drawOrder(draw: Draw, { id, ending, models }: OrderOptions): Order {
  const isWatched = ending === 'stop sequence of the gateway';
  const speech: Speech = isWatched ? 'messages' : draw.oneOf(['chat', 'messages', 'responses']);
  const stream = STREAMED.includes(ending) || draw.chance(0.6);
  const thinking = draw.oneOf(THINKING);
  const report = reportOf(draw, ending);
  const gate = createGate();
  const plan = { ...thoughtsOf(draw, thinking), pieces: piecesOf(draw), report, lag: draw.between(0, 6) };
  const { plans, leave, endsEarly = false } = played(draw, ending, plan, gate);
  const isLeftSilent = ending === 'left before the first byte' && (stream || thinking === 'none');
  const isStoppedAtOnce = isLeftSilent || (endsEarly && thinking === 'none');
  const isReadOn = endsEarly && thinking !== 'none' && report === 'exact';
  const thinker = `${isWatched ? 'chat' : speech}-${thinking === 'none' ? 'plain' : 'thinks'}-${models}`;
  const body = FORMATS[speech].body(promptOf(draw, id), {
    ...{ model: thinker, stream, max_tokens: 1_200 },
    ...(speech === 'messages' && thinking !== 'none' ? { thinking: { type: 'enabled', budget_tokens: 1_024 } } : {}),
    ...stopsOf(speech, ending, isWatched),
    ...(ending === 'output limit' && thinking === 'none' ? { max_tokens: plan.pieces.length } : {}),
  });
  return { id, speech, stream, thinking, ending, report, body, plans, leave, isStoppedAtOnce, isReadOn, gate };
}

/** Of answers that a client can spoil, some come without usage, or with a wrong one. */
function reportOf(draw: Draw, ending: Ending): Report {
  const mayLie = ending === 'complete' || ending.startsWith('left') || ending === 'output limit';
  return mayLie && draw.chance(0.25) ? draw.oneOf(['none', 'zero', 'invalid']) : 'exact';
}

function thoughtsOf(draw: Draw, thinking: Thinking): Pick<Plan, 'hidden' | 'thoughts'> {
  if (thinking === 'hidden') return { hidden: draw.between(20, 300) };
  return thinking === 'shown' ? { thoughts: syllables(draw, draw.between(5, 40)) } : {};
}

function piecesOf(draw: Draw): string[] {
  return syllables(draw, draw.between(6, 60));
}

function syllables(draw: Draw, count: number): string[] {
  return Array.from({ length: count }, () => draw.oneOf(SYLLABLES));
}

function promptOf(draw: Draw, id: string): string {
  return `${id}: ${syllables(draw, draw.between(10, 200)).join('')}`;
}

function stopsOf(speech: Speech, ending: Ending, isWatched: boolean): Fields {
  if (isWatched) return { stop_sequences: WATCHED };
  if (ending !== 'own stop sequence') return {};
  if (speech === 'messages') return { stop_sequences: ['1'] };
  return speech === 'chat' ? { stop: ['1'] } : {};
}

interface Played {
  plans: readonly Plan[];
  leave?: Leave;
  /** The customer ends it while the vendor is at work. */
  endsEarly?: boolean;
}

function played(draw: Draw, ending: Ending, plan: Plan & { pieces: string[] }, gate: Gate): Played {
  const { pieces } = plan;
  const half = Math.floor(pieces.length / 2);
  const ended = (finish: Finish, fields: Partial<Plan> = {}): Played => ({ plans: [{ ...plan, finish, ...fields }] });
  /** Waits after so many pieces until the client has left; the last of them is unlike the others. */
  const leftAfter = (count: number): Played => ({
    plans: [
      {
        ...plan,
        pieces: pieces.with(count - 1, ' mark'),
        pauses: [{ after: count, until: gate.opened }],
      },
    ],
    leave: { when: 'read', text: '" mark"' },
    endsEarly: true,
  });
  switch (ending) {
    case 'complete':
      return ended('stop');
    case 'left before the first byte':
      return { plans: [{ ...plan, pauses: [{ after: 0, until: gate.opened }] }], leave: { when: 'asked' } };
    case 'left at the first word':
      return leftAfter(1);
    case 'left in the middle':
      return leftAfter(half);
    case 'left after the end':
      return { plans: [plan], leave: { when: 'ended' } };
    case 'own stop sequence':
      return ended('stop_sequence', { pieces: draw.chance(0.5) ? [] : pieces, unshown: draw.between(1, 9) });
    case 'stop sequence of the gateway': {
      const isHidden = plan.hidden !== undefined || plan.thoughts !== undefined;
      const pauses = isHidden ? [] : [{ after: half + 1, until: gate.opened }];
      return { plans: [{ ...plan, pieces: pieces.with(half, ' halt'), pauses }], endsEarly: true };
    }
    case 'output limit':
      return ended('length');
    case 'empty answer':
      return ended('stop', { pieces: [], unshown: draw.between(0, 9) });
    case 'refused answer':
      return ended('refusal', { pieces: [] });
    case 'broken stream':
      return { plans: [{ ...plan, breaksAfter: half }, REFUSES] };
    case 'failed try':
      return { plans: [{ ...plan, breaksAfter: 0 }, plan] };
    case 'refused try':
      return { plans: [REFUSES, REFUSES, plan] };
    case 'broken and repeated':
      return { plans: [{ ...plan, breaksAfter: half }, plan] };
  }
}
