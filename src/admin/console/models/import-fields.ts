// The fields of an import that are remembered when it is applied: they go along through the review of its changes.

import { plainNumber, typed } from '../../../site/read-form.ts';
import { importDetail } from '../../actions/last-imports.ts';

const NAMES = ['channel', 'rate', 'markup', 'cost'] as const;
type ImportFields = Readonly<Partial<Record<(typeof NAMES)[number], string>>>;

export function importFields(form: URLSearchParams): ImportFields {
  const read = (name: string) => {
    const text = typed(form, name);
    return name === 'rate' || name === 'markup' ? plainNumber(text) : text;
  };
  return Object.fromEntries(NAMES.flatMap((name) => (form.has(name) ? [[name, read(name)]] : [])));
}

export function detailOf({ channel = '', rate = '', markup = '', cost }: ImportFields) {
  return importDetail({ channel, rate, markup: markup || '0', setCost: cost === 'yes' });
}
