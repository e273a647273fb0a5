// What an answer says that a client can do next: commands, actions, operations of an OpenAPI document, and links. The agent
// knows nothing else of a service.

import { type HttpCall, readCommands } from '../../test/support/read-command.ts';

export type Json = ReturnType<typeof JSON.parse>;

export interface Offer {
  /** A call can be made as it is; a link leads to a text that may have more. */
  kind: 'call' | 'link';
  call: HttpCall;
  /** What the answer says about it. */
  about: string;
  /** Of an operation: what its path parameters must look like. */
  patterns?: Readonly<Record<string, string>>;
}

export function readOffers(url: string, headers: Headers, text: string): Offer[] {
  const type = headers.get('content-type') ?? '';
  const json = /[/+]json/.test(type) ? readJson(text) : undefined;
  const body = json === undefined ? textOffers(url, text, type) : jsonOffers(json);
  return [...headerLinks(headers), ...body];
}

export function readJson(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const linkTo = (url: string, about: string): Offer => ({
  kind: 'link',
  call: { method: 'GET', url, headers: {}, body: null },
  about,
});

/** `Link` (RFC 8288), and where a 401 leads (RFC 9728). */
function headerLinks(headers: Headers): Offer[] {
  const links = [...(headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="([^"]+)"/g)];
  const [, metadata] = /resource_metadata="([^"]+)"/.exec(headers.get('www-authenticate') ?? '') ?? [];
  return [
    ...links.map(([, href = '', rel = '']) => linkTo(href, rel)),
    ...(metadata === undefined ? [] : [linkTo(metadata, 'how to authenticate and register')]),
  ];
}

function jsonOffers(json: Json): Offer[] {
  if (typeof json?.openapi === 'string') return operations(json);
  const offers: Offer[] = [];
  const collect = (value: Json, name: string, context: string): void => {
    if (typeof value === 'string') {
      if (/^https?:\/\//.test(value)) offers.push(linkTo(value, `${context} ${name}`));
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    if (typeof value.run === 'string') {
      offers.push(...readCommands(value.run).map((call): Offer => ({ kind: 'call', call, about: value.why ?? name })));
      return;
    }
    if (typeof value.href === 'string' && typeof value.method === 'string') {
      offers.push({ kind: 'call', call: actionCall(value), about: value.why ?? name });
      return;
    }
    for (const [key, member] of Object.entries(value)) collect(member, key, name);
  };
  collect(json, '', '');
  return offers;
}

function actionCall({ method, href, body }: Json): HttpCall {
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  return { method, url: href, headers: json, body: body === undefined ? null : JSON.stringify(body) };
}

function operations({ servers, paths }: Json): Offer[] {
  const base = servers?.[0]?.url ?? '';
  return Object.entries<Json>(paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]): Offer => {
      const example = operation.requestBody?.content?.['application/json']?.example;
      const parameters: Json[] = operation.parameters ?? [];
      const needed = parameters.filter(({ in: place }) => place === 'path');
      const told = parameters.map(({ name, description = '' }) => `${name}: ${description}`);
      const isOpen = Array.isArray(operation.security) && operation.security.length === 0;
      return {
        kind: 'call',
        call: {
          method: method.toUpperCase(),
          url: base + path,
          headers: {
            ...(isOpen ? {} : { authorization: 'Bearer $KEY' }),
            ...(example === undefined ? {} : { 'content-type': 'application/json' }),
          },
          body: example === undefined ? null : JSON.stringify(example),
        },
        about: [operation.summary, operation.description, ...told].filter(Boolean).join('\n'),
        patterns: Object.fromEntries(needed.map(({ name, schema }) => [name, schema?.pattern ?? ''])),
      };
    }),
  );
}

/** Markdown and plain text: commands below the words that lead to them, and links with the rest of their line. */
function textOffers(url: string, text: string, type: string): Offer[] {
  if (!/text\/(plain|markdown)/.test(type)) return [];
  const blocks = [...text.matchAll(/([^\n]*(?:\n(?!```|#)[^\n]*)*)\n```sh\n([\s\S]*?)^```$/gm)];
  const commands = blocks.flatMap(([, before = '', code = '']) =>
    readCommands(code).map((call): Offer => ({ kind: 'call', call, about: before.trim() })),
  );
  const links = [...text.matchAll(/\[([^\]\n]+)\]\(([^)\s]+)\)([^\n]*)/g)].map(([, title = '', href = '', rest = '']) =>
    linkTo(new URL(href, url).href, `${title}${rest}`),
  );
  const said = [...text.matchAll(/^.*?\b(POST|GET) (https?:\/\/[^\s"`]+).*$/gm)].map(
    ([line, method = '', href = '']): Offer => ({
      kind: 'call',
      call: { method, url: href, headers: {}, body: null },
      about: line,
    }),
  );
  return [...commands, ...links, ...said];
}
