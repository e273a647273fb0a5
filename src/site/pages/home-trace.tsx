/** @jsxImportSource hono/jsx */
// One request as an example: what was held, which channel failed and which one answered, and what was charged. The model,
// its prices and its channels are those of this server.

import type { Catalog, Model } from '../../catalog/catalog.ts';
import { formatNtd } from '../../kit/money.ts';
import { holdFor } from '../../ledger/cost.ts';
import { count, money, withGap } from '../format.ts';
import { type Language, wordsOf } from '../language.ts';

type Trace = NonNullable<ReturnType<typeof exampleTrace>>;

const PROMPT_BYTES = 4_800;
const INPUT_TOKENS = 1_200;
const OUTPUT_TOKENS = 340;
const MAX_TOKENS = 1_000;

/** Uses a paid model, if possible not a demo and with a second channel. */
export function exampleTrace({ models }: Catalog) {
  const paid = models.filter((model) => !model.free && model.kinds.includes('chat'));
  const model =
    paid.find((one) => !one.demo && channelsOf(one).length > 1) ?? paid.find(({ demo }) => !demo) ?? paid[0];
  if (!model) return undefined;
  /** Without a second one, no model of this server has it. */
  const [first = '', second] = channelsOf(model);
  const { input, output } = model.prices;
  const request = { choices: 1, images: 0, thinkingBudget: undefined };
  // Every byte of a prompt is counted as a token at most.
  const hold = holdFor({ model, candidates: [], request, isStrict: false }, PROMPT_BYTES, MAX_TOKENS);
  const held = hold.base + hold.unit * BigInt(MAX_TOKENS);
  const cost = BigInt(INPUT_TOKENS) * input + BigInt(OUTPUT_TOKENS) * output;
  return { model: model.id, first, second, held, cost };
}

function channelsOf({ routes }: Model): string[] {
  const sorted = routes.toSorted((a, b) => a.priority - b.priority);
  return [...new Set(sorted.map(({ channel }) => channel.name))];
}

interface Step {
  at: string;
  text: string;
  more: string;
  amount?: string;
  look?: string;
}

function stepsOf(language: Language, { first, second, held, cost }: Trace): Step[] {
  const { trace: words } = wordsOf(language).home;
  const used = words.chargedMore(count(INPUT_TOKENS), count(OUTPUT_TOKENS));
  const failure = second && {
    at: '214 ms',
    look: 'is-failed',
    text: words.failed(first),
    more: words.failedMore(second),
  };
  return [
    { at: '0 ms', text: words.held, more: words.heldMore(count(PROMPT_BYTES), count(MAX_TOKENS)), amount: money(held) },
    ...(failure ? [failure] : []),
    { at: second ? '890 ms' : '640 ms', text: words.answers(second ?? first), more: words.answersMore },
    { at: '3.9 s', look: 'is-done', text: words.charged, more: used, amount: money(cost) },
  ];
}

/** The answer's own headers. */
function headersOf({ first, second, cost }: Trace): string[] {
  return [`x-svc-channel: ${second ?? first}`, `x-svc-cost-ntd: ${formatNtd(cost)}`];
}

const CALL = 'POST /v1/chat/completions';

export function TraceFigure({ language, trace }: { language: Language; trace: Trace }) {
  const { trace: words } = wordsOf(language).home;
  return (
    <figure class="trace" aria-labelledby="trace-title">
      <p class="trace-call" id="trace-title">
        <span class="faint">{words.title}</span> <code>{CALL}</code> <code>{trace.model}</code>
      </p>
      <ol>
        {stepsOf(language, trace).map(({ at, text, more, amount, look = '' }) => (
          <li class={look}>
            <span class="trace-at">{at}</span>
            <span class="trace-what">
              <strong>{text}</strong> <span class="faint">{more}</span>
            </span>
            {amount === undefined ? null : <span class="trace-amount">{amount}</span>}
          </li>
        ))}
      </ol>
      <figcaption>
        {words.headers}
        {headersOf(trace).map((header) => (
          <code>{header}</code>
        ))}
      </figcaption>
    </figure>
  );
}

/** The same as Markdown. */
export function traceText(language: Language, trace: Trace): string {
  const { home, account } = wordsOf(language);
  const steps = stepsOf(language, trace).map(({ at, text, more, amount }) => {
    const step = `- ${at} · ${text}${account.colon}${more}`;
    return amount === undefined ? step : `${step} · ${amount}`;
  });
  const headers = headersOf(trace).map((header) => `\`${header}\``);
  return [
    `## ${home.trace.title}`,
    `\`${CALL}\` \`${trace.model}\``,
    steps.join('\n'),
    `${withGap(home.trace.headers)}${headers.join(' ')}`,
  ].join('\n\n');
}
