// The answers of the scripted upstream. The model of a request selects the script, so that both the upstream and the
// comparison know every answer beforehand.

export interface Usage {
  input: number;
  output: number;
}

export interface Script {
  /** Undefined: a JSON answer, not streamed. */
  stream?: {
    tokens: number;
    /** Pause between two events; 0: all at once. */
    paceMs: number;
    /** Stays open after its first token until it is released. */
    isHeld?: boolean;
  };
  usage: Usage;
  /** In Anthropic's format; otherwise in OpenAI's. */
  isMessage?: boolean;
}

export const SHORT_TOKENS = 20;
export const LONG_TOKENS = 320;
/** Long enough that every event is a separate packet, read and write, as from a real model. */
const PACE_MS = 4;
export const SLOW_PACE_MS = 100;
export const SLOW_SHORT_TOKENS = 5;
export const SLOW_TOKENS = 30;

export const SCRIPTS = {
  json: { usage: { input: 25, output: 180 } },
  message: { usage: { input: 25, output: 180 }, isMessage: true },
  burst: { stream: { tokens: SHORT_TOKENS, paceMs: 0 }, usage: { input: 25, output: SHORT_TOKENS } },
  short: { stream: { tokens: SHORT_TOKENS, paceMs: PACE_MS }, usage: { input: 25, output: SHORT_TOKENS } },
  long: { stream: { tokens: LONG_TOKENS, paceMs: PACE_MS }, usage: { input: 25, output: LONG_TOKENS } },
  'slow-short': {
    stream: { tokens: SLOW_SHORT_TOKENS, paceMs: SLOW_PACE_MS },
    usage: { input: 25, output: SLOW_SHORT_TOKENS },
  },
  slow: { stream: { tokens: SLOW_TOKENS, paceMs: SLOW_PACE_MS }, usage: { input: 25, output: SLOW_TOKENS } },
  held: { stream: { tokens: 2, paceMs: PACE_MS, isHeld: true }, usage: { input: 25, output: 2 } },
} as const satisfies Record<string, Script>;

export type ScriptName = keyof typeof SCRIPTS;

export const SCRIPT_NAMES = Object.keys(SCRIPTS) as ScriptName[];

export function isScriptName(name: string): name is ScriptName {
  return Object.hasOwn(SCRIPTS, name);
}

export function scriptOf(name: ScriptName): Script {
  return SCRIPTS[name];
}

const HEAD = { id: 'chatcmpl-BenchBenchBenchBenchBenchBench', created: 1_767_225_600 };
const SENTENCE = 'The harbour was quiet that morning, and the boats lay still on the grey water. ';

/** The events of a stream, each a complete SSE event. */
export function eventsOf(name: ScriptName): string[] {
  const { stream, usage } = scriptOf(name);
  if (!stream) throw new Error(`${name} does not stream`);
  const chunk = (delta: unknown, finish: string | null = null) =>
    event({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] });
  const event = (fields: object) =>
    `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', model: name, service_tier: 'default', ...fields })}\n\n`;
  const words = SENTENCE.trim().split(' ');
  return [
    chunk({ role: 'assistant', content: '', refusal: null }),
    ...Array.from({ length: stream.tokens }, (_, index) => chunk({ content: ` ${words[index % words.length]}` })),
    chunk({}, 'stop'),
    event({ choices: [], usage: openaiUsage(usage) }),
    'data: [DONE]\n\n',
  ];
}

/** The complete body, about 1 KB if it is JSON. */
export function bodyOf(name: ScriptName): string {
  const { stream, usage, isMessage } = scriptOf(name);
  if (stream) return eventsOf(name).join('');
  if (isMessage) return messageOf(name, usage);
  const message = { role: 'assistant', content: SENTENCE.repeat(7).trim(), refusal: null, annotations: [] };
  return JSON.stringify({
    ...HEAD,
    object: 'chat.completion',
    model: name,
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
    usage: openaiUsage(usage),
    service_tier: 'default',
    system_fingerprint: null,
  });
}

function messageOf(model: string, { input, output }: Usage): string {
  return JSON.stringify({
    ...{ id: 'msg_BenchBenchBenchBenchBench', type: 'message', role: 'assistant', model },
    content: [{ type: 'text', text: SENTENCE.repeat(7).trim() }],
    ...{ stop_reason: 'end_turn', stop_sequence: null, usage: { input_tokens: input, output_tokens: output } },
  });
}

function openaiUsage({ input, output }: Usage) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  };
}

/** A body without the parts that a gateway may change or add: the model id, the cost, and pings while a stream is silent. */
export function comparable(body: string): string {
  return body
    .replaceAll(': ping\n\n', '')
    .replaceAll(/"model":"[^"]*"/g, '"model":""')
    .replaceAll(/,"cost_\w+":("[^"]*"|[\d.e-]+)/g, '');
}
