// The slots of a window as text for the database. A busy window has over a hundred and is written with every admission, so
// the text is a flat list of small numbers: [unit, time before the first, count, count, ...]. Each count is one unit of time
// after the one before it; a negative number skips further units. Lists of pairs, which earlier versions wrote, can be read,
// too.

/** Taken in a rolling span, the oldest first. */
export type Slots = readonly (readonly [at: number, count: number])[];
type Slot = Slots[number];

/** Paid slots have whole seconds. */
const SECOND = 1_000;
/** The text is cached from this many slots on. */
const MANY = 8;

/** The text of a window up to the count of its newest slot. */
interface Begun {
  slots: Slots;
  text: string;
}

/**
 * By the oldest slot of the window. Most admissions to a busy window change only its newest slot and keep the other objects.
 * Comparing them takes a tenth of the time of writing them.
 */
const begun = new WeakMap<Slot, Begun>();

export function slotsToText(slots: Slots): string {
  const [oldest] = slots;
  const newest = slots.at(-1);
  if (!oldest || !newest) return '[]';
  const known = begun.get(oldest);
  if (known && differOnlyInNewest(known.slots, slots)) return `${known.text},${newest[1]}]`;
  const text = textBeforeNewest(slots);
  if (text === undefined) return JSON.stringify(slots);
  if (slots.length >= MANY) begun.set(oldest, { slots, text });
  return `${text},${newest[1]}]`;
}

/** Undefined if a slot is not later than the one before it. */
function textBeforeNewest(slots: Slots): string | undefined {
  const unit = slots.every((slot) => slot[0] % SECOND === 0) ? SECOND : 1;
  let time = (slots[0]?.[0] ?? 0) / unit - 1;
  const cells = [unit, time];
  for (const slot of slots) {
    const step = slot[0] / unit - time;
    if (step < 1) return undefined;
    if (step > 1) cells.push(1 - step);
    cells.push(slot[1]);
    time += step;
  }
  cells.pop();
  return `[${cells.join()}`;
}

/** Whether they differ only in the count of the newest slot. */
function differOnlyInNewest(one: Slots, other: Slots): boolean {
  const last = one.length - 1;
  if (other.length !== one.length || other[last]?.[0] !== one[last]?.[0]) return false;
  for (let at = 0; at < last; at++) if (one[at] !== other[at]) return false;
  return true;
}

export function textToSlots(text: string): Slots {
  const cells = JSON.parse(text) as Slots | readonly number[];
  const [unit, before] = cells;
  if (typeof unit !== 'number') return cells as Slots;
  const slots: [number, number][] = [];
  let time = Number(before);
  for (const cell of cells.slice(2) as number[]) {
    if (cell < 0) time -= cell;
    else slots.push([++time * unit, cell]);
  }
  return slots;
}
