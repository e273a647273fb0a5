// The URL of a request. The client controls the part before the path (Host or an absolute request line), which may not
// even parse: it is ignored.

const BEFORE_PATH = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;
/** A path without a query that parsing would not change. */
const PLAIN = /^https?:\/\/[^/?#]*(?:\/[\w-]+)+$/;

/** Never throws. The host is a placeholder. */
export function requestUrl({ url }: Pick<Request, 'url'>): URL {
  const path = url.replace(BEFORE_PATH, '');
  return new URL(`http://gateway${/^[/?#]/.test(path) ? '' : '/'}${path}`);
}

/** The same URL's path. */
export function requestPath(request: Pick<Request, 'url'>): string {
  const { url } = request;
  if (!PLAIN.test(url)) return requestUrl(request).pathname;
  return url.slice(url.indexOf('/', url.indexOf('//') + 2));
}
