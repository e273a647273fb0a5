// A document as written, to change in a few places only.

import { parse, stringify } from 'yaml';
import { type Fields, fieldsOf, listOf } from '../../catalog/loose-fields.ts';

export interface RawDocument {
  channels: Fields[];
  models: Fields[];
  rest: Fields;
}

/** For a valid document; values that are not a list or an object count as empty. */
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
