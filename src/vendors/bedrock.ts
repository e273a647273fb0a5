// Facts about Amazon Bedrock.

interface RegionFields {
  kind: string;
  base_url?: string | undefined;
  region?: string | undefined;
}

/** Also in hosts of private endpoints: vpce-….bedrock-runtime.us-east-1.vpce.amazonaws.com. */
const HOST = /(?:^|\/\/|\.)bedrock-(?:runtime(?:-fips)?|mantle)\.([a-z0-9-]+)\./;
/** Serves the OpenAI format under other paths, and no InvokeModel. */
const MANTLE = /(?:\/\/|\.)bedrock-mantle\./;
/**
 * Vendors whose models are served neither by Chat Completions nor in the Anthropic format, in ids, inference profiles and ARNs:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/models-api-compatibility.html, read on 2026-11-19.
 */
const OTHER_FORMATS = /(?:^|[./])(?:ai21|amazon|cohere)\./;

export function regionOf({ kind, base_url: url = '', region }: RegionFields): string | undefined {
  if (kind !== 'bedrock') return undefined;
  return region ?? HOST.exec(url)?.[1];
}

export function isMantle(url: string): boolean {
  return MANTLE.test(url);
}

export function hasOtherFormat(model: string): boolean {
  return OTHER_FORMATS.test(model);
}
