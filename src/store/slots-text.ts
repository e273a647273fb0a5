// The slots of a window as the text that stands in the database. A busy window has over a hundred, and is written with
// every admission: so it is a flat list of small numbers, [unit, time before the first, count, count, ...], each count one
// unit of time later than the one before it, and a negative number where more units lie between them. A list of pairs, as
// it was written once, is read as well.

import type { Window } from './rows.ts';

type Slots = Window['slots'];

/** Paid slots stand on whole seconds. */
const SECOND = 1_000;

export function slotsToText(slots: Slots): string {
  if (slots.length === 0) return '[]';
  const unit = slots.every((slot) => slot[0] % SECOND === 0) ? SECOND : 1;
  let time = (slots[0]?.[0] ?? 0) / unit - 1;
  let text = `[${unit},${time}`;
  for (const slot of slots) {
    const step = slot[0] / unit - time;
    if (step < 1) return JSON.stringify(slots);
    if (step > 1) text += `,${1 - step}`;
    text += `,${slot[1]}`;
    time += step;
  }
  return `${text}]`;
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
