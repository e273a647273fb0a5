// Addresses below the base URL of a channel. Its query, such as Azure's `?api-version=`, belongs to every call and stands
// behind the path of each; a fragment is never sent.

export type AddressBelow = (path: string) => string;

/** `path` begins with a slash and may bring a query of its own. `ending`: of the base's path, left out if it is there. */
export function addressBelow(baseUrl: string, ending = ''): AddressBelow {
  const [, root = '', query = ''] = /^([^?#]*)(?:\?([^#]*))?/.exec(baseUrl) ?? [];
  const trimmed = root.replace(/\/+$/, '');
  const base = trimmed.endsWith(ending) ? trimmed.slice(0, trimmed.length - ending.length) : trimmed;
  if (query === '') return (path) => base + path;
  return (path) => `${base}${path}${path.includes('?') ? '&' : '?'}${query}`;
}
