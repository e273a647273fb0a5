// Reads the newest revision from the store, not from this node's memory, so that an edit never starts from an older
// one.

import { parse, stringify } from 'yaml';
import { buildCatalog, type Catalog } from '../../catalog/catalog.ts';
import type { Document } from '../../catalog/document.ts';
import { type Fields, fieldsOf, listOf } from '../../catalog/loose-fields.ts';
import { readStoredDocument } from '../../catalog/read-document.ts';
import type { Revision } from '../../store/rows.ts';
import { OperatingRefused } from './refused.ts';
import type { StoreTools } from './tools.ts';

export interface Newest {
  revision: Revision;
  document: Document;
  catalog: Catalog;
}

/** Refused: no_revision. */
export async function readNewest({ store }: StoreTools): Promise<Newest> {
  const revision = await store.read.newestRevision();
  if (!revision) {
    throw new OperatingRefused('no_revision', 'there is no revision yet: start the server or apply a file');
  }
  const read = readStoredDocument(revision.document);
  if (!read.ok) {
    const message = `this version cannot read revision ${revision.revision} of the catalog: upgrade it or apply a file`;
    throw new OperatingRefused('no_revision', message);
  }
  const catalog = buildCatalog(read.document, revision.revision, revision.createdAt);
  return { revision, document: read.document, catalog };
}

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
