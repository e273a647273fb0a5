// Checks of new documents only, of entries that are valid but cannot work or must not be stored. A stored document must keep the
// service running, and an entry that it has already stays, so that another channel can still be switched off.

import { isHeaderText, secretText } from '../kit/header-text.ts';
import { hasOtherFormat, isMantle } from '../vendors/bedrock.ts';
import { canServe, endpointsFor, endpointsOf } from '../vendors/endpoints.ts';
import type { DocumentFault } from './check-references.ts';
import type { Document, DocumentChannel, DocumentModel } from './document.ts';
import { isReference } from './document-secrets.ts';

type Channels = readonly DocumentChannel[];
/** The channels of the previous document. */
type ReadBefore = () => Channels;

/** `readBefore` is called only if there is something to compare. */
export function checkNew(document: Document, readBefore: ReadBefore): DocumentFault[] {
  return [
    ...checkAddresses(document.channels, readBefore),
    ...checkSecrets(document.channels, readBefore),
    ...checkServed(document),
  ];
}

const ADDRESSES = ['base_url', 'anthropic_base_url'] as const;
const USER_INFO = 'user info (the part before "@")';

interface Problem {
  matches(kind: string, field: (typeof ADDRESSES)[number], url: string): boolean;
  fault: string;
  warning: string;
}

const PROBLEMS: readonly Problem[] = [
  {
    matches: (_kind, _field, url) => hasUserInfo(url),
    fault: `must have no ${USER_INFO}: put the key into api_key`,
    warning: `has ${USER_INFO}, which is stored and exported as it is; a new or changed address with it is refused`,
  },
  {
    matches: (kind, field) => field === 'anthropic_base_url' && kind !== 'openai',
    fault: 'only a channel of kind openai may have it',
    warning: 'is never used: only a channel of kind openai may have it; a new or changed one is refused',
  },
];

/** No secrets, because addresses are stored and exported in plain text, and no address that is never used. */
function checkAddresses(channels: Channels, readBefore: ReadBefore): DocumentFault[] {
  const found = findProblems(channels);
  if (found.length === 0) return [];
  const before = new Set(findProblems(readBefore()).map(({ signature }) => signature));
  return found.filter(({ signature }) => !before.has(signature)).map(({ path, fault }) => ({ path, message: fault }));
}

export function warnAddresses(channels: Channels): DocumentFault[] {
  return findProblems(channels).map(({ path, warning }) => ({ path, message: warning }));
}

function findProblems(channels: Channels) {
  return channels.flatMap(({ name, kind, ...channel }, index) =>
    ADDRESSES.flatMap((field) => {
      const url = channel[field];
      return PROBLEMS.filter(({ matches }) => url && matches(kind, field, url)).map(({ fault, warning }) => ({
        fault,
        warning,
        path: `channels[${index}].${field}`,
        // Independent of the channel's position in the document.
        signature: JSON.stringify([name, field, url, fault]),
      }));
    }),
  );
}

function hasUserInfo(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}

export const NOT_CARRIED = 'characters that no header can carry';

const MISSING_NAME: Readonly<Record<string, string>> = {
  'env:': 'names no variable: write env:NAME',
  'file:': 'names no file: write file:PATH',
};

/** Keys that cannot work: a literal that no header can carry, a reference without a name. */
function checkSecrets(channels: Channels, readBefore: ReadBefore): DocumentFault[] {
  return channels.flatMap(({ name, api_key: secret }, index) => {
    const message = secret === undefined ? undefined : secretFault(secret);
    if (message === undefined) return [];
    const isStored = readBefore().some((stored) => stored.name === name && stored.api_key === secret);
    return isStored ? [] : [{ path: `channels[${index}].api_key`, message }];
  });
}

function secretFault(secret: string): string | undefined {
  if (isReference(secret)) return MISSING_NAME[secret];
  return isHeaderText(secretText(secret))
    ? undefined
    : `has ${NOT_CARRIED}: line ends and other control characters, or letters beyond U+00FF`;
}

/**
 * An endpoint that upstreams of that kind lack, models of Bedrock in formats that no dialect has, a model that none of its
 * routes can serve.
 */
function checkServed({ channels, models }: Document): DocumentFault[] {
  const byName = new Map(channels.map((channel) => [channel.name, channel]));
  const endpointsTo = ({ channel: name, model }: DocumentModel['routes'][number]) => {
    const channel = byName.get(name);
    return channel ? endpointsFor(channel.kind, endpointsOf(channel), model) : [];
  };
  return [
    ...channels.flatMap((channel, index) => [
      ...checkEndpoints(channel, `channels[${index}].endpoints`),
      ...checkMantle(channel, `channels[${index}].base_url`),
    ]),
    ...models.flatMap(({ routes }, index) =>
      routes.flatMap(({ channel, model }, at) =>
        byName.get(channel)?.kind === 'bedrock' ? checkFormat(model, `models[${index}].routes[${at}].model`) : [],
      ),
    ),
    ...models.flatMap(({ kinds, routes }, index) =>
      kinds.flatMap((kind, at) => {
        if (routes.some((route) => canServe(endpointsTo(route), kind))) return [];
        const needed = kind === 'chat' ? 'chat, messages or responses' : kind;
        return [{ path: `models[${index}].kinds[${at}]`, message: `needs a route to a channel with ${needed}` }];
      }),
    ),
  ];
}

function checkEndpoints(channel: DocumentChannel, path: string): DocumentFault[] {
  const { kind, endpoints = [], anthropic_base_url: anthropic } = channel;
  if (kind === 'gemini') return [];
  const possible = endpointsOf({ kind, anthropic_base_url: anthropic });
  return endpoints.flatMap((endpoint, index) => {
    if (possible.includes(endpoint)) return [];
    const hint = kind === 'openai' && endpoint === 'messages' ? '; messages needs anthropic_base_url' : '';
    return [{ path: `${path}[${index}]`, message: `a channel of kind ${kind} has only ${possible.join(', ')}${hint}` }];
  });
}

function checkMantle({ kind, base_url: url = '' }: DocumentChannel, path: string): DocumentFault[] {
  const message =
    'bedrock-mantle has the OpenAI format: use kind openai, the address with /v1 at its end, and an API key of Bedrock';
  return kind === 'bedrock' && isMantle(url) ? [{ path, message }] : [];
}

function checkFormat(model: string, path: string): DocumentFault[] {
  const remedy = 'remove the route, or choose a model that Bedrock serves by Chat Completions';
  const message = `Bedrock serves ${model} only by Converse or InvokeModel, which the gateway does not call: ${remedy}`;
  return hasOtherFormat(model) ? [{ path, message }] : [];
}
