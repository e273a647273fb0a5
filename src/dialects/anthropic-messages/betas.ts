// Removes betas of an Anthropic client. With `context-1m-…` an upstream accepts prompts of a million tokens, but the hold
// covers only the context in the catalog. So it is sent only to models with such a context.

/** The context of the vendor's models without that beta. */
const PLAIN_CONTEXT_TOKENS = 200_000;
const LONG_CONTEXT = /^context-1m-/i;
export const BETA_HEADER = 'anthropic-beta';

const NONE: readonly string[] = [];

type PassedHeaders = Readonly<Record<string, string>>;

/** By their names, as the client wrote them. */
export function lostBetas(headers: PassedHeaders, contextTokens: number): readonly string[] {
  if (contextTokens > PLAIN_CONTEXT_TOKENS || headers[BETA_HEADER] === undefined) return NONE;
  return betasOf(headers[BETA_HEADER]).filter((name) => LONG_CONTEXT.test(name));
}

export function withoutLostBetas(headers: PassedHeaders, contextTokens: number): PassedHeaders {
  const lost = lostBetas(headers, contextTokens);
  if (lost.length === 0) return headers;
  const { [BETA_HEADER]: _, ...others } = headers;
  const kept = betasOf(headers[BETA_HEADER]).filter((name) => !lost.includes(name));
  return kept.length === 0 ? others : { ...others, [BETA_HEADER]: kept.join(',') };
}

/** The betas in a client's header. */
export function betasOf(list = ''): string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
