// What the operator's functions refuse, in the words of the command line: a field that is wrong is an option here.

import type { OperatingRefused } from '../actions/refused.ts';

export function tellRefusal({ message, facts: { field } }: OperatingRefused): string {
  if (field === undefined) return message;
  return `--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} ${message}`;
}
