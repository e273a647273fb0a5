// Upstreams refuse a prefill that ends in white space, so this is removed. If the continuation begins with the same white
// space, it is not sent again.

/** The new part of each text that continues `sent`. */
export function createOverlap(sent: string): (text: string) => string {
  let spaces = sent.slice(sent.trimEnd().length);
  return (text) => {
    let same = 0;
    while (same < spaces.length && same < text.length && text[same] === spaces[same]) same++;
    spaces = same === text.length ? spaces.slice(same) : '';
    return text.slice(same);
  };
}
