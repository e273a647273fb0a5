// Where a request goes. What stands before the path, Host or an absolute request line, is a client's to write and may be
// nothing that parses: it decides nothing.

const BEFORE_PATH = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;
/** A path that parsing would leave as it is, and nothing behind it. */
const PLAIN = /^https?:\/\/[^/?#]*(?:\/[\w-]+)+$/;

/** Never throws. The host in it stands for none. */
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
