// The fields of an import that are remembered when it is applied: they go along through the review of its changes.

import { typed } from '../../../site/read-form.ts';
import { importDetail } from '../../actions/last-imports.ts';

const NAMES = ['channel', 'rate', 'markup', 'cost'] as const;
type ImportFields = Readonly<Partial<Record<(typeof NAMES)[number], string>>>;

export function importFields(form: URLSearchParams): ImportFields {
  return Object.fromEntries(NAMES.flatMap((name) => (form.has(name) ? [[name, typed(form, name)]] : [])));
}

export function detailOf({ channel = '', rate = '', markup = '', cost }: ImportFields) {
  return importDetail({ channel, rate, markup: markup || '0', setCost: cost === 'yes' });
}
