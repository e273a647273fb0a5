// Refuses entries that are valid but cannot work: an endpoint that upstreams of that kind lack, a model that none of its
// routes can serve, models of Bedrock in formats that no dialect has. Checks new documents only: a stored one must keep the
// service running.

import { hasOtherFormat, isMantle } from '../vendors/bedrock.ts';
import { canServe, endpointsFor, endpointsOf, type SERVED_BY } from '../vendors/endpoints.ts';
import type { DocumentFault } from './check-references.ts';
import type { Document, DocumentChannel, DocumentModel } from './document.ts';

type DocumentRoute = Pick<DocumentModel['routes'][number], 'channel' | 'model'>;

export function checkServed({ channels, models }: Document): DocumentFault[] {
  const byName = new Map(channels.map((channel) => [channel.name, channel]));
  const endpointsTo = ({ channel: name, model }: DocumentRoute) => {
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
      kinds.flatMap((kind, at) =>
        routes.some((route) => canServe(endpointsTo(route), kind))
          ? []
          : [{ path: `models[${index}].kinds[${at}]`, message: `needs a route to a channel with ${needed(kind)}` }],
      ),
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

function needed(kind: keyof typeof SERVED_BY): string {
  return kind === 'chat' ? 'chat, messages or responses' : kind;
}
