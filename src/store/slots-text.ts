// The slots of a window as the text that stands in the database. A busy window has over a hundred, and is written with
// every admission: so it is a flat list of small numbers, [unit, first time, its count, step to the next time, its count,
// ...], with times and steps counted in units. A list of pairs, as it was written once, is read as well.

import type { Window } from './rows.ts';

type Slots = Window['slots'];

/** Paid slots stand on whole seconds. */
const SECOND = 1_000;

export function slotsToText(slots: Slots): string {
  if (slots.length === 0) return '[]';
  const unit = slots.every((slot) => slot[0] % SECOND === 0) ? SECOND : 1;
  const cells = [unit];
  let before = 0;
  for (const slot of slots) {
    const time = slot[0] / unit;
    cells.push(time - before, slot[1]);
    before = time;
  }
  return JSON.stringify(cells);
}

export function textToSlots(text: string): Slots {
  const cells = JSON.parse(text) as Slots | readonly number[];
  const [unit] = cells;
  if (typeof unit !== 'number') return cells as Slots;
  const slots: [number, number][] = [];
  let time = 0;
  for (let at = 1; at < cells.length; at += 2) {
    time += Number(cells[at]);
    slots.push([time * unit, Number(cells[at + 1])]);
  }
  return slots;
}
