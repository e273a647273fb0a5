// The models that examples, commands and next steps name, so that they work on this server.

import type { ModelKind } from '../vendors/endpoints.ts';
import type { Catalog, Model } from './catalog.ts';
import { FREE_MODEL } from './document.ts';

/** The free model if there is one, else the first of its kind. */
export function exampleModel({ models, find }: Catalog, kind: ModelKind): Model | undefined {
  return [find(FREE_MODEL), ...models].find((model) => model?.kinds.includes(kind));
}
