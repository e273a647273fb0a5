// What models differ in though their upstream is the same, told by their names: those that always think take no sampling,
// and those that never do take no word about it.

export interface ModelTraits {
  takesEffort: boolean;
  /** The word for as little thinking as can be. */
  leastEffort: string;
  takesSampling: boolean;
  takesStops: boolean;
}

const PLAIN: ModelTraits = { takesEffort: true, leastEffort: 'none', takesSampling: true, takesStops: true };

/** The first that fits; vendors' prefixes such as `openai/` are left out. */
const FAMILIES: readonly (readonly [name: RegExp, traits: Partial<ModelTraits>])[] = [
  [/^(gpt-3|gpt-4|chatgpt-4|davinci|babbage|llama|meta-llama|gemma|mixtral|codestral)/, { takesEffort: false }],
  [/^o\d/, { leastEffort: 'low', takesSampling: false, takesStops: false }],
  [/^gpt-oss/, { leastEffort: 'low' }],
  [/^gpt-5-chat/, { takesEffort: false }],
  [/^gpt-5(-(mini|nano|codex|pro))?(-\d{4}.*)?$/, { leastEffort: 'minimal', takesSampling: false, takesStops: false }],
  [/^gpt-[5-9]/, { takesSampling: false, takesStops: false }],
];

export function modelTraits(model: string): ModelTraits {
  const name = model.toLowerCase().replace(/^.*\//, '');
  return { ...PLAIN, ...FAMILIES.find(([pattern]) => pattern.test(name))?.[1] };
}
