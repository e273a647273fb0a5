// How models of one upstream differ, by their names: those that always think accept no sampling parameters, those that
// never do accept no effort, and each generation has its own effort values.

import { byModel } from './by-model.ts';
import { OPENAI_MODELS } from './known-models.ts';
import type { LimitField, Quirks } from './quirks.ts';

/** Speech models that can send audio as events, which report their usage. Others know audio alone. */
export function sendsSpeechEvents(model: string): boolean {
  return /^gpt-.*tts/.test(model);
}

/** All effort values, lowest first. */
export const EFFORTS: readonly string[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

interface OpenaiTraits {
  /** The name is in the list below. */
  isKnown: boolean;
  takesEffort: boolean;
  /** Thinking cannot be turned off. */
  alwaysThinks: boolean;
  /** Its effort values, lowest first. */
  efforts: readonly string[];
  takesSampling: boolean;
  takesStops: boolean;
  /** Its name for the output limit, if the upstream does not set it. */
  limitField: LimitField;
  /** The vendor's chat endpoint does not serve it, or not with tools. */
  needsResponses: boolean;
}

const PLAIN: OpenaiTraits = {
  isKnown: false,
  takesEffort: true,
  alwaysThinks: false,
  efforts: EFFORTS,
  takesSampling: true,
  takesStops: true,
  limitField: 'max_tokens',
  needsResponses: false,
};

/** The first match counts; prefixes are removed before. */
const FAMILIES: readonly (readonly [name: RegExp, traits: Partial<OpenaiTraits>])[] = [
  [/^(gpt-3|gpt-4|chatgpt-4|davinci|babbage|llama|meta-llama|gemma|mixtral|codestral)/, { takesEffort: false }],
  [/^o\d/, thinksBy('low', 'medium', 'high')],
  [/^gpt-oss/, { efforts: ['low', 'medium', 'high'] }],
  [/^gpt-5-chat/, { takesEffort: false }],
  [/^gpt-5\.\d+-chat/, thinksBy('medium')],
  [/^gpt-5-pro/, thinksBy('high')],
  [/^gpt-5\.\d+-pro/, thinksBy('medium', 'high', 'xhigh')],
  [/^gpt-5(\.1)?-codex(?!-max)/, thinksBy('low', 'medium', 'high')],
  [/^gpt-5\.\d+-codex/, thinksBy('low', 'medium', 'high', 'xhigh')],
  [/^gpt-5(-(mini|nano))?(-\d{4}.*)?$/, thinksBy('minimal', 'low', 'medium', 'high')],
  [/^gpt-5\.1(?!\d)/, thinksBy('none', 'low', 'medium', 'high')],
  [/^gpt-5\.[2-5](?!\d)/, thinksBy('none', 'low', 'medium', 'high', 'xhigh')],
  [/^gpt-(5\.\d|6-(sol|luna))/, thinksBy('none', 'low', 'medium', 'high', 'xhigh', 'max')],
  [/^gpt-[6-9]/, thinksBy('low', 'medium', 'high', 'xhigh', 'max')],
  [/^gpt-5/, thinksBy(...EFFORTS)],
  [/^grok-3-mini/, { efforts: ['low', 'high'] }],
  [/^grok-4[.-]20-multi-agent/, { efforts: ['low', 'medium', 'high', 'xhigh'] }],
  [/^grok-4[.-]3(?!\d)/, { efforts: ['none', 'low', 'medium', 'high'] }],
  [/^grok-(4[.-]5(?!\d)|latest)/, { efforts: ['low', 'medium', 'high'] }],
  [/^grok-4[.-]6(?!\d)/, { efforts: ['low', 'medium', 'high', 'xhigh'] }],
  [/^grok-([23]|.*non-reasoning)/, { takesEffort: false }],
  [/^grok-(4(?![.-][3-9](?!\d))|code|build)/, { takesEffort: false, alwaysThinks: true }],
  [/^kimi-k3/, { efforts: ['low', 'high', 'max'] }],
];

/** Only in Responses: pro, codex and research. In chat without tools: all from GPT-5.4 on. */
const IN_RESPONSES =
  /^(codex-|o\d(-mini)?-(pro|deep-research)|gpt-5(\.\d+)?-(pro|codex)|gpt-5\.([4-9]|\d\d)|gpt-[6-9])/;

/**
 * The vendor's thinking models accept neither sampling parameters nor stop sequences, nor the older name of the limit.
 */
function thinksBy(...efforts: string[]): Partial<OpenaiTraits> {
  return { efforts, takesSampling: false, takesStops: false, limitField: 'max_completion_tokens' };
}

/** `model`: its name at the upstream. */
export const openaiTraits = byModel((model): OpenaiTraits => {
  const name = familyName(model);
  const family = FAMILIES.find(([pattern]) => pattern.test(name))?.[1];
  return { ...PLAIN, ...family, isKnown: family !== undefined, needsResponses: IN_RESPONSES.test(name) };
});

/** `openai/`, or `us.openai.` at Bedrock, and `ft:` for a fine-tuned model. */
const PREFIX = /^(.*\/)?([a-z]+\.)*(ft:)?/;

/** Without the vendor's prefix. */
export function familyName(model: string): string {
  return model.toLowerCase().replace(PREFIX, '');
}

/** The effort values of a model at this upstream, lowest first. */
export function effortsOf({ ownEfforts }: Quirks, model: string): readonly string[] {
  return ownEfforts.find(([name]) => name.test(familyName(model)))?.[1] ?? openaiTraits(model).efforts;
}

export function limitFieldOf({ limitField }: Quirks, model: string): LimitField {
  return limitField === 'by_model' ? openaiTraits(model).limitField : limitField;
}

/** Whether to prefer Responses to chat if the client uses neither. */
export function isForResponses({ favoursResponses }: Quirks, model: string): boolean {
  return favoursResponses && openaiTraits(model).needsResponses;
}

/** Whether a model for transcripts has `verbose_json`, with the length of the recording. */
export function hasVerboseTranscripts({ verboseTranscripts }: Quirks, model: string): boolean {
  return verboseTranscripts && /whisper/i.test(model);
}

const KNOWN_LIMITS: ReadonlyMap<string, number | undefined> = new Map(
  OPENAI_MODELS.map(({ id, upstreamModel = id, maxOutputTokens }) => [upstreamModel, maxOutputTokens]),
);

/** Other models, as models.dev lists them; the first match counts. A later generation is added once its limit is known. */
const LIMITS: readonly (readonly [name: RegExp, tokens: number])[] = [
  [/^gpt-5-pro/, 272_000],
  [/^gpt-5(\.\d+)?-chat/, 16_384],
  [/^gpt-5\.3-codex-spark/, 32_000],
  [/^gpt-[56](?!\d)/, 128_000],
  [/^o1-mini/, 65_536],
  [/^o1-preview/, 32_768],
  [/^(o[134](-|$)|codex-mini)/, 100_000],
  [/^gpt-4\.1/, 32_768],
  [/^(chat)?gpt-4o/, 16_384],
];
/** The date of a snapshot, or the names of a fine-tuned model. */
const SUFFIX = /(-\d{4}-\d{2}-\d{2})?(:.*)?$/;

/**
 * The most output that a model of the vendor can write, for calls that take no output bound: a hold covers all of it.
 * `model`: its name at the upstream. Undefined if its limit is unknown.
 */
export const outputLimitOf = byModel((model): number | undefined => {
  const name = familyName(model).replace(SUFFIX, '');
  return KNOWN_LIMITS.get(name) ?? LIMITS.find(([pattern]) => pattern.test(name))?.[1];
});
