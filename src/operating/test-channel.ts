// One small real call to a channel, as its models would make it.

import type { Actor, OperatingTools } from './tools.ts';

export interface ChannelTest {
  ok: boolean;
  channel: string;
  /** The model's name at the upstream. */
  model: string;
  endpoint: string;
  ms: number;
  /** Until the first byte of the answer; null without one. */
  firstTokenMs: number | null;
  /** `ok`, or what was wrong: status, code and cleaned message. */
  detail: string;
}

/** `model` is a public id or a name at the upstream; the first route of the channel if left out. Refused: not_found, no_route. */
export function testChannel(
  tools: OperatingTools,
  name: string,
  options: { model?: string | undefined; actor: Actor },
): Promise<ChannelTest> {
  throw new Error('not yet');
}
