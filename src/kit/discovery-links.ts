// The Link header by which a client that knows only one address finds the rest: RFC 9727 (api-catalog), RFC 8631 and
// RFC 5829 (version-history).

export const API_CATALOG_PATH = '/.well-known/api-catalog';
export const CHANGELOG_PATH = '/changelog';
export const JSON_FEED = { path: '/changelog.json', type: 'application/feed+json' } as const;
export const ATOM_FEED = { path: '/changelog.atom', type: 'application/atom+xml' } as const;

export function discoveryLinks(publicUrl: string): string {
  const link = (path: string, rel: string, type: string) => `<${publicUrl}${path}>; rel="${rel}"; type="${type}"`;
  return [
    link(API_CATALOG_PATH, 'api-catalog', 'application/linkset+json'),
    link('/openapi.json', 'service-desc', 'application/json'),
    link('/llms.txt', 'service-doc', 'text/plain'),
    link('/api/public/status', 'status', 'application/json'),
    link(JSON_FEED.path, 'version-history', JSON_FEED.type),
  ].join(', ');
}
