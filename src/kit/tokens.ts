// How many tokens a text may be, without a tokenizer: an upper bound for holds, an estimate for bills that an
// upstream left open, a lower bound to refuse what cannot fit. Counted by class of character, because Traditional
// Chinese takes about one token a character where English takes one for four.

export interface TokenCount {
  /** No common tokenizer makes more of it. */
  upper: number;
  /** What a common tokenizer makes of ordinary prose. */
  estimate: number;
  /** Ordinary prose and code take at least this many. */
  lower: number;
}

export const NO_TOKENS: TokenCount = { upper: 0, estimate: 0, lower: 0 };

export function addTokens(a: TokenCount, b: TokenCount): TokenCount {
  return { upper: a.upper + b.upper, estimate: a.estimate + b.estimate, lower: a.lower + b.lower };
}

export function sameTokens(count: number): TokenCount {
  return { upper: count, estimate: count, lower: count };
}

export function countTokens(text: string): TokenCount {
  let easy = 0;
  let hard = 0;
  let wide = 0;
  let pairs = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) {
      if ((code >= 0x61 && code <= 0x7a) || code === 0x20) easy++;
      else hard++;
    } else if (code >= 0xd800 && code <= 0xdfff) pairs++;
    else wide++;
  }
  return {
    upper: Math.ceil(easy / 2) + hard + wide * 2 + pairs * 2,
    estimate: Math.ceil(easy / 4.5 + hard / 3 + wide * 0.9 + pairs),
    lower: Math.floor(easy / 8 + hard / 8 + wide * 0.4 + pairs * 0.4),
  };
}
