// How many pages a PDF has, as far as its bytes tell in clear. It is not read as a viewer would: page objects are counted
// where they stand, and whatever may hide more of them makes the count unknown.

/** No context holds so many pages. What has more marks than these is not looked at to its end. */
const MOST_MARKS = 2_000;

/** A page object, packed objects, the count of a tree of pages, a cipher, and what may be a letter spelt as a code. */
const MARK = /\/(?:Type[\s\0]*\/(?:(Page)(?![A-Za-z])|ObjStm)|Count[\s\0]+(\d{1,9})|Encrypt)|(#[4-7])/g;
const NAME_BEGUN = /\/[A-Za-z]{0,8}$/;
const NAME_CHARS = 9;

/** Undefined if nobody can tell. */
export function countPages(base64: string): number | undefined {
  const text = Buffer.from(base64, 'base64').toString('latin1');
  let objects = 0;
  let told = 0;
  let marks = 0;
  for (const { 1: page, 2: count, 3: code, index } of text.matchAll(MARK)) {
    if (++marks > MOST_MARKS) return undefined;
    if (page !== undefined) objects++;
    else if (count !== undefined) told = Math.max(told, Number(count));
    else if (code === undefined || NAME_BEGUN.test(text.slice(Math.max(0, index - NAME_CHARS), index)))
      return undefined;
  }
  return objects === 0 ? undefined : Math.max(objects, told);
}
