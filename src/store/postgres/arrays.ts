// An array as PostgreSQL reads it: `{1,NULL,"a\"b"}`. `JSON.stringify` writes nearly the same and is much faster, so it is
// used unless a value has a character that JSON escapes differently (`\n`, `\u0007`).

export type ArrayValue = string | number | boolean | null;

const ESCAPES_OF_JSON = /\\[^"\\]/;

export function toArray(values: readonly ArrayValue[]): string {
  const json = JSON.stringify(values);
  return ESCAPES_OF_JSON.test(json) ? written(values) : `{${json.slice(1, -1)}}`;
}

function written(values: readonly ArrayValue[]): string {
  const texts = values.map((value) => {
    if (typeof value === 'string') return `"${value.replace(/["\\]/g, '\\$&')}"`;
    return value === null ? 'NULL' : String(value);
  });
  return `{${texts.join(',')}}`;
}
