// The Link header by which a client that knows only one address finds the rest: RFC 9727 (api-catalog) and RFC 8631.

export const API_CATALOG_PATH = '/.well-known/api-catalog';

export function discoveryLinks(publicUrl: string): string {
  const link = (path: string, rel: string, type: string) => `<${publicUrl}${path}>; rel="${rel}"; type="${type}"`;
  return [
    link(API_CATALOG_PATH, 'api-catalog', 'application/linkset+json'),
    link('/openapi.json', 'service-desc', 'application/json'),
    link('/llms.txt', 'service-doc', 'text/plain'),
    link('/api/public/status', 'status', 'application/json'),
  ].join(', ');
}
