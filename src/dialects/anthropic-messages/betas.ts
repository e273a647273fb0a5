// Which betas of an Anthropic client are removed. `context-1m-…` makes an upstream take prompts of a million tokens, and the
// hold is made for the context that the catalog says: it goes only where that is as long.

/** What the vendor's models take without that beta. */
const PLAIN_CONTEXT_TOKENS = 200_000;
const LONG_CONTEXT = /^context-1m-/i;
const HEADER = 'anthropic-beta';

const NONE: readonly string[] = [];

type PassedHeaders = Readonly<Record<string, string>>;

/** By their names, as the client wrote them. */
export function lostBetas(headers: PassedHeaders, contextTokens: number): readonly string[] {
  if (contextTokens > PLAIN_CONTEXT_TOKENS || headers[HEADER] === undefined) return NONE;
  return betasOf(headers).filter((name) => LONG_CONTEXT.test(name));
}

export function withoutLostBetas(headers: PassedHeaders, contextTokens: number): PassedHeaders {
  const lost = lostBetas(headers, contextTokens);
  if (lost.length === 0) return headers;
  const { [HEADER]: _, ...others } = headers;
  const kept = betasOf(headers).filter((name) => !lost.includes(name));
  return kept.length === 0 ? others : { ...others, [HEADER]: kept.join(',') };
}

function betasOf({ [HEADER]: list = '' }: PassedHeaders): string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
