// URLs below a channel's base URL. The base's query, such as Azure's `?api-version=`, is appended to every path; a
// fragment is never sent.

type AddressBelow = (path: string) => string;

/** `path` begins with a slash and may have a query. `ending` is removed from the end of the base's path. */
export function addressBelow(baseUrl: string, ending = ''): AddressBelow {
  const [, root = '', query = ''] = /^([^?#]*)(?:\?([^#]*))?/.exec(baseUrl) ?? [];
  const trimmed = root.replace(/\/+$/, '');
  const base = trimmed.endsWith(ending) ? trimmed.slice(0, trimmed.length - ending.length) : trimmed;
  if (query === '') return (path) => base + path;
  return (path) => `${base}${path}${path.includes('?') ? '&' : '?'}${query}`;
}
