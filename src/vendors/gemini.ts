// Traits of Gemini models, by their name. A name without a number means the newest.

export type Thinking =
  | { by: 'nothing' }
  /** In tokens from `least` to `most`; `canStop`: 0 turns it off. */
  | { by: 'budget'; least: number; most: number; canStop: boolean }
  /** Its level names, lowest first. */
  | { by: 'level'; levels: readonly [string, ...string[]] };

export interface GeminiTraits {
  thinking: Thinking;
  /** Refuses tool calls in its own turns without a signature. */
  wantsSignatures: boolean;
  /** Supports an answer format together with tools. */
  takesFormatWithTools: boolean;
  takesPenalties: boolean;
}

const FIRST_THINKING = 2.5;
const FIRST_BY_LEVEL = 3;

export function geminiTraits(model: string): GeminiTraits {
  const name = model.replace(/^models\//, '').toLowerCase();
  const number = /^gemini-(\d+(?:\.\d+)?)/.exec(name)?.[1];
  const isGemini = name.startsWith('gemini-');
  const generation = number === undefined ? FIRST_BY_LEVEL : Number(number);
  return {
    thinking: isGemini ? thinkingOf(name, generation) : { by: 'nothing' },
    wantsSignatures: isGemini && generation >= FIRST_BY_LEVEL,
    takesFormatWithTools: isGemini && generation >= FIRST_BY_LEVEL,
    takesPenalties: isGemini && generation < FIRST_THINKING,
  };
}

function thinkingOf(name: string, generation: number): Thinking {
  if (generation < FIRST_THINKING || /-(image|tts|live|audio)\b/.test(name)) return { by: 'nothing' };
  if (generation >= FIRST_BY_LEVEL) return { by: 'level', levels: levelsOf(name) };
  if (/-pro\b/.test(name)) return { by: 'budget', least: 128, most: 32_768, canStop: false };
  return { by: 'budget', least: /-lite\b/.test(name) ? 512 : 1, most: 24_576, canStop: true };
}

/** Only the first small models have `minimal`; the first large one has no `medium`. */
function levelsOf(name: string): [string, ...string[]] {
  if (/^gemini-3(\.1)?-flash\b/.test(name)) return ['minimal', 'low', 'medium', 'high'];
  return /^gemini-3-pro\b/.test(name) ? ['low', 'high'] : ['low', 'medium', 'high'];
}
