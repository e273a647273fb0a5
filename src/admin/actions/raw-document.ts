// A document as it was written, to be changed in a few places and left as it is in all others.

import { parse, stringify } from 'yaml';
import { type Fields, fieldsOf, listOf } from '../../catalog/loose-fields.ts';

export interface RawDocument {
  channels: Fields[];
  models: Fields[];
  rest: Fields;
}

/** Of a valid document; what is not a list or an object counts as empty. */
export function readRaw(yaml: string): RawDocument {
  const { channels, models, ...rest } = fieldsOf(parse(yaml));
  return { channels: listOf(channels).map(fieldsOf), models: listOf(models).map(fieldsOf), rest };
}

export function writeRaw({ channels, models, rest }: RawDocument): string {
  return stringify({ channels, models, ...rest });
}

export function routesOf(model: Fields): Fields[] {
  return listOf(model.routes).map(fieldsOf);
}
