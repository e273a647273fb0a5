// Reads the curl commands of a text: the part of a shell's language that the service's own commands use.

export interface HttpCall {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | null;
}

/** Variables stay in the texts as they are written. */
export function readCommands(script: string): HttpCall[] {
  return [...script.matchAll(/(?<![\w-])curl(?= )/g)].flatMap(({ index }) => toCall(wordsFrom(script, index)) ?? []);
}

/** The words of one command, without their quotes. */
function wordsFrom(script: string, start: number): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = start; at < script.length; at++) {
    const letter = script.charAt(at);
    if (quote !== '') {
      if (letter === quote) quote = '';
      else word += letter;
    } else if (letter === '"' || letter === "'") {
      quote = letter;
      word ??= '';
    } else if (letter === '\\' && script.charAt(at + 1) === '\n') {
      at += 1;
    } else if (/[\n|;&)]/.test(letter)) {
      break;
    } else if (/\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + letter;
    }
  }
  return word === undefined ? words : [...words, word];
}

function toCall(words: readonly string[]): HttpCall | undefined {
  const after = (flag: string) => words.filter((_, index) => words[index - 1] === flag);
  const url = words.find((word) => /^https?:/.test(word));
  if (url === undefined) return undefined;
  const headers = after('-H').map((header) => {
    const [name = '', ...rest] = header.split(':');
    return [name.toLowerCase(), rest.join(':').trim()];
  });
  const [body = null] = after('-d');
  const method = after('-X')[0] ?? (body === null ? 'GET' : 'POST');
  return { method, url, headers: Object.fromEntries(headers), body };
}
