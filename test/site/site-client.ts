// A browser's manners without a browser: it asks for HTML, keeps cookies, and says where its forms come from.

import type { TestGateway } from '../support/gateway.ts';

export interface SiteClient {
  /** By name; what was ended is gone. */
  cookies: Map<string, string>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** A list is sent as several fields of one name. */
  post(
    path: string,
    form?: Readonly<Record<string, string | readonly string[]>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
  /** The page that a form leads to, as a browser shows it. */
  submit(...sent: Parameters<SiteClient['post']>): Promise<Response>;
}

export function createSiteClient(
  { url }: Pick<TestGateway, 'url'>,
  language = 'en',
  always: Readonly<Record<string, string>> = {},
): SiteClient {
  const cookies = new Map<string, string>();
  async function send(path: string, init: RequestInit & { headers: Record<string, string> }): Promise<Response> {
    const response = await fetch(url + path, {
      ...init,
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        'accept-language': language,
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...always,
        ...init.headers,
      },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  }
  const client: SiteClient = {
    cookies,
    get: (path, headers = {}) => send(path, { headers: { ...headers } }),
    async submit(...sent) {
      const answer = await client.post(...sent);
      const location = answer.headers.get('location');
      return answer.status === 303 && location !== null ? client.get(location) : answer;
    },
    post: (path, form = {}, headers = {}) =>
      send(path, {
        method: 'POST',
        body: new URLSearchParams(
          Object.entries(form).flatMap(([name, given]) => [given].flat().map((value) => [name, value])),
        ).toString(),
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          origin: url,
          'sec-fetch-site': 'same-origin',
          ...headers,
        },
      }),
  };
  return client;
}

/** Signs in with a key; the client then has the session's cookie. */
export async function signedIn(gateway: TestGateway, key: string, language = 'en'): Promise<SiteClient> {
  const client = createSiteClient(gateway, language);
  const { status } = await client.post('/account/sign-in', { key });
  if (status !== 303) throw new Error(`not signed in: ${status}`);
  return client;
}
