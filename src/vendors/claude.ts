// Traits of Claude models, by the version in their name. A model with another name comes from a third party
// that uses this format: it is treated as new, but gets only settings that no model refuses.

export interface ClaudeTraits {
  /** System turns between others. */
  takesMidSystem: boolean;
  /** A final assistant turn is continued. */
  takesPrefill: boolean;
  /** `temperature`, `top_p`, `top_k`. */
  takesSampling: boolean;
  /** `adaptive`: by effort. `budget`: by a number of tokens. `none`: no thinking. */
  thinking: 'adaptive' | 'budget' | 'none';
  /** Thinks unless the request turns it off. */
  thinksByDefault: boolean;
  /**
   * How thinking is turned off, as far as it can be: by the setting `disabled`; by the setting `between_tools`, with which it
   * only thinks between calls of tools; or not at all, and the lowest effort makes it think little.
   */
  thinkingOff: 'disabled' | 'between_tools' | 'low_effort';
  /** A tool choice that demands a call. The newest models refuse it, because they think before a call. */
  takesForcedTools: boolean;
  /** Its thoughts come without text unless requested. */
  hidesThoughts: boolean;
  /** The effort values of an adaptive model, lowest first. */
  efforts: readonly string[];
  /** Thoughts without a signature are refused. */
  checksSignatures: boolean;
  /** Supports answers with a schema. */
  takesFormat: boolean;
}

/** Major × 100 + minor: 4.10 comes after 4.9. */
type Version = number;

/** Names without a version. */
const NAMED_VERSIONS: Readonly<Record<string, Version>> = { 'claude-mythos-preview': 407 };
/** The newest: they always think, and tokenize as the newest versions do. */
const NEWEST_NAMES = /claude-(?:fable|mythos)/;
/** `claude-opus-4-8`, `claude-3-5-haiku-20241022`, `vendor/claude-sonnet-4.5`; a date is not a version. */
const VERSION = /claude-(?:[a-z]+-)*(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/;

export function claudeTraits(upstreamModel: string): ClaudeTraits {
  const model = upstreamModel.toLowerCase();
  const version = versionOf(model);
  return {
    takesMidSystem: version !== undefined && version >= (model.includes('claude-sonnet') ? 505 : 408),
    takesPrefill: version !== undefined && version <= 405,
    takesSampling: version === undefined || version <= 406,
    thinking: thinkingOf(version),
    hidesThoughts: version !== undefined && version >= 407,
    thinksByDefault: version !== undefined && version >= 500,
    thinkingOff: thinkingOffOf(model, version),
    takesForcedTools: !NEWEST_NAMES.test(model) && !isFrom55(model, version),
    efforts: effortValues(model, version),
    checksSignatures: version !== undefined,
    takesFormat: version === undefined || version >= 401,
  };
}

function thinkingOf(version: Version | undefined): ClaudeTraits['thinking'] {
  if (version === undefined || version >= 406) return 'adaptive';
  return version >= 307 ? 'budget' : 'none';
}

function thinkingOffOf(model: string, version: Version | undefined): ClaudeTraits['thinkingOff'] {
  if (NEWEST_NAMES.test(model)) return 'low_effort';
  if (!isFrom55(model, version)) return 'disabled';
  return model.includes('claude-sonnet') ? 'between_tools' : 'low_effort';
}

/** Version 5.5 and later, but for Haiku: they always think before or between calls. */
function isFrom55(model: string, version: Version | undefined): boolean {
  return version !== undefined && version >= 505 && !model.includes('claude-haiku');
}

/** `xhigh` came after 4.6, and after the preview of Mythos. */
function effortValues(model: string, version: Version | undefined): readonly string[] {
  const isBefore = version === 406 || model.includes('claude-mythos-preview');
  return isBefore ? ['low', 'medium', 'high', 'max'] : ['low', 'medium', 'high', 'xhigh', 'max'];
}

/** `model`: in lower case. */
export function versionOf(model: string): Version | undefined {
  const named = Object.keys(NAMED_VERSIONS).find((name) => model.includes(name));
  if (named !== undefined) return NAMED_VERSIONS[named];
  const found = VERSION.exec(model);
  return found ? Number(found[1]) * 100 + Number(found[2] ?? 0) : undefined;
}

/** The same model has other names on other platforms: `us.anthropic.claude-opus-4-5-20251101-v1:0`, `claude-opus-4-5@20251101`. */
const HOSTED_NAME = /(claude-[a-z0-9.-]+?)(?:[-@](?:\d{8}|latest|default))?(?:-v\d+(?::\d+)?)?(?::\w+)?$/;

/** One name for a Claude model wherever it is hosted; other names stay as they are. */
export function claudeName(upstreamModel: string): string {
  return HOSTED_NAME.exec(upstreamModel.toLowerCase())?.[1] ?? upstreamModel;
}

/** The vendor states about 30 % more tokens since Opus 4.7, and version 5 of the others. */
const NEWER_OPUS = 407;
const NEWER_CLAUDE = 500;

/** How many more tokens the model's tokenizer yields than common ones, by its name at the upstream. */
export function tokenizerFactor(model: string): number {
  const name = model.toLowerCase();
  const newer = name.includes('claude-opus') ? NEWER_OPUS : NEWER_CLAUDE;
  return NEWEST_NAMES.test(name) || (versionOf(name) ?? 0) >= newer ? 1.3 : 1;
}
