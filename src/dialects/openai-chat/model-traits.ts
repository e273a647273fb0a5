// What models differ in though their upstream is the same, told by their names: those that always think take no sampling,
// those that never do take no word about it, and each generation takes other words.

import type { LimitField, Quirks } from '../../kit/quirks.ts';
import { EFFORTS } from '../translate/effort.ts';

export interface ModelTraits {
  takesEffort: boolean;
  /** The words for how much to think that it takes, from the least. */
  efforts: readonly string[];
  takesSampling: boolean;
  takesStops: boolean;
  /** What it calls the output bound, where the upstream does not say. */
  limitField: LimitField;
}

const PLAIN: ModelTraits = {
  takesEffort: true,
  efforts: EFFORTS,
  takesSampling: true,
  takesStops: true,
  limitField: 'max_tokens',
};

/** The first that fits; prefixes such as a vendor's `openai/`, or `ft:` of a model trained further, are left out. */
const FAMILIES: readonly (readonly [name: RegExp, traits: Partial<ModelTraits>])[] = [
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
];

/** Thinking models of the vendor's own take neither sampling nor stop sequences, nor the older name of the bound. */
function thinksBy(...efforts: string[]): Partial<ModelTraits> {
  return { efforts, takesSampling: false, takesStops: false, limitField: 'max_completion_tokens' };
}

/** Those of every model that was asked for: no more than catalogs name. */
const known = new Map<string, ModelTraits>();

export function modelTraits(model: string): ModelTraits {
  let traits = known.get(model);
  if (!traits) {
    const name = familyName(model);
    traits = { ...PLAIN, ...FAMILIES.find(([pattern]) => pattern.test(name))?.[1] };
    known.set(model, traits);
  }
  return traits;
}

/** Without a vendor's prefix, or `ft:` of a model trained further. */
export function familyName(model: string): string {
  return model.toLowerCase().replace(/^(.*\/)?(ft:)?/, '');
}

export function limitFieldOf({ limitField }: Quirks, model: string): LimitField {
  return limitField === 'by_model' ? modelTraits(model).limitField : limitField;
}
