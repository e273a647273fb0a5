// Translations write schemas anew from their values, and numbers with all their digits: `1e20` becomes 21 of them. The source,
// from which the upper bound of the input is counted, may be shorter.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';

/** Members of a body that hold schemas, in any format. */
const SCHEMA_HOLDERS = ['tools', 'functions', 'response_format', 'text', 'output_config', 'output_format'];

/** The most characters by which numbers in schemas can grow. `later`: tools that the conversation defines. */
export function addedDigits(body: JsonObject, later: readonly Json[]): number {
  return growthIn(SCHEMA_HOLDERS.map((name) => body[name] ?? null)) + growthIn([...later]);
}

function growthIn(value: Json | undefined): number {
  if (typeof value === 'number') return growthOf(value);
  let sum = 0;
  if (Array.isArray(value)) for (const item of value) sum += growthIn(item);
  else if (isObject(value)) for (const name of Object.keys(value)) sum += growthIn(value[name]);
  return sum;
}

/** A shorter number has no shorter form that matters. */
const SHORT_CHARS = 5;

function growthOf(value: number): number {
  const written = JSON.stringify(value);
  return written.length < SHORT_CHARS ? 0 : Math.max(0, written.length - shortestForm(value).length);
}

/** All its digits as a whole number, and the exponent: no JSON number of this value is shorter, unless it has no exponent. */
function shortestForm(value: number): string {
  const [mantissa = '', exponent] = value.toExponential().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return `${whole}${fraction}e${Number(exponent) - fraction.length}`;
}
