// Headers of answers from a model that ends at a date (RFC 9745, RFC 8594), or that has ended and is replaced.

import type { Model } from '../catalog/catalog.ts';

/** `named`: the model that the client named; `served`: the one that answers. */
export function setRetirement(headers: Record<string, string>, named: Model, served: Model, publicUrl: string): void {
  const { retirement } = named;
  if (!retirement) return;
  const { at, deprecatedAt, successor } = retirement;
  headers.deprecation = `@${Math.floor(deprecatedAt / 1000)}`;
  headers.sunset = new Date(at).toUTCString();
  if (successor !== undefined) headers.link = `<${publicUrl}/v1/models/${successor}>; rel="successor-version"`;
  if (named.id !== served.id) headers['x-svc-model'] = served.id;
}
