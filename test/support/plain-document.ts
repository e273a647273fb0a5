// A small valid catalog document for tests to spoil, and what the reader says of the result.
import { printFault } from '../../src/catalog/fault-words.ts';
import { readDocument } from '../../src/catalog/read-document.ts';

type Fields = Record<string, unknown>;

export interface PlainDocument extends Fields {
  channels: Fields[];
  models: Fields[];
}

export const ROUTE: Readonly<Fields> = Object.freeze({ channel: 'demo', model: 'demo' });

export function plainDocument(): PlainDocument {
  return {
    channels: [
      { name: 'demo', kind: 'demo' },
      { name: 'up', kind: 'openai', base_url: 'http://upstream.test/v1' },
    ],
    models: [
      { id: 'auto:free', price: 'free', routes: [{ ...ROUTE }] },
      {
        id: 'paid',
        context_tokens: 128_000,
        price: { input: 8.125, output: 65 },
        routes: [{ channel: 'up', model: 'paid-2026' }],
      },
    ],
  };
}

/** The plain document with one more model; JSON is YAML. */
export function withModel(model: Fields): string {
  const document = plainDocument();
  return JSON.stringify({ ...document, models: [...document.models, { id: 'extra', routes: [ROUTE], ...model }] });
}

/** Each fault as an operator reads it; none for a valid document. */
export function faultsOf(text: string): string[] {
  const read = readDocument(text);
  return read.ok ? [] : read.faults.map(printFault);
}

export function faultPaths(text: string): string[] {
  const read = readDocument(text);
  return read.ok ? [] : read.faults.map(({ path }) => path);
}
