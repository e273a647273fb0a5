// The configuration of the bench: the plainest that a user would write, with models of its own for every cell.

import type { ScriptedUpstream } from '../support/upstream.ts';
import { WIRE_CLIENTS } from '../support/wire-clients.ts';
import type { Cell } from './cells.ts';
import { FAULTS, type ProviderFault } from './faults.ts';

type Fields = Record<string, unknown>;

/** A model is called the same by the client and by the provider. */
export interface Names {
  model: string;
  fallback: string;
  channels: { first: string; other: string };
}

export interface Addresses {
  first: ScriptedUpstream;
  second: ScriptedUpstream;
  /** Nobody listens there. */
  closedPort: number;
}

/** A label of a name has at most 63 characters, so no server of names is asked. */
const UNRESOLVED = `http://${'a'.repeat(64)}.invalid/v1`;

/** Nano-NT$ per token. */
export const PRICES = {
  model: { input: 10_000n, output: 40_000n },
  fallback: { input: 5_000n, output: 20_000n },
};

export function namesOf(fault: ProviderFault, { client, form, setup }: Cell): Names {
  const model = `fault-${FAULTS.indexOf(fault)}-${client.name}-${form}-${setup.replace('_', '-')}`;
  const first = `${client.name}-${fault.address ?? 'first'}`;
  const other = setup === 'same_channel' ? first : `${client.name}-second`;
  return { model, fallback: `${model}-fallback`, channels: { first, other } };
}

export function channelsAt({ first, second, closedPort }: Addresses): Fields[] {
  return WIRE_CLIENTS.flatMap((client) => [
    client.channel(`${client.name}-first`, first.baseUrl),
    client.channel(`${client.name}-second`, second.baseUrl),
    client.channel(`${client.name}-refused`, `http://127.0.0.1:${closedPort}/v1`),
    client.channel(`${client.name}-unresolved`, UNRESOLVED),
  ]);
}

export function modelsOf(fault: ProviderFault, cell: Cell): Fields[] {
  const { model, fallback, channels } = namesOf(fault, cell);
  const prefill = fault.prefill ? { prefill: true } : {};
  const route = (channel: string, name: string, priority = 1) => ({ channel, model: name, priority, ...prefill });
  const common = { context_tokens: 128_000, max_output_tokens: 1_000 };
  const price = { input: 10, output: 40 };
  if (cell.setup === 'second_route') {
    return [{ id: model, ...common, price, routes: [route(channels.first, model), route(channels.other, model, 2)] }];
  }
  return [
    { id: model, ...common, price, routes: [route(channels.first, model)], fallbacks: [fallback] },
    { id: fallback, ...common, price: { input: 5, output: 20 }, routes: [route(channels.other, fallback)] },
  ];
}
