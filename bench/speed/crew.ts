// The helper processes of the bench, the upstream and the load, and their totals: the answers must equal the upstream's
// count, and the ledger must have charged exactly that.

import { bodyOf, comparable, type ScriptName, scriptOf } from './answers.ts';
import { PRICES } from './gateway-target.ts';
import type { Call, Counts, LoadCommand, LoadReply, LoadReport, UpstreamCommand, UpstreamReply } from './messages.ts';
import type { Stage } from './stage.ts';
import type { Running, Target } from './target.ts';

const LOG_LINES = 6;

export interface Asked {
  script: ScriptName;
  connections: number;
  forMs: number;
  /** Ends earlier after this many answers. */
  enough?: number;
  /** The connections begin within this time instead of at once. */
  rampMs?: number;
  /** A first request on every connection that does not count; default true. */
  hasFirst?: boolean;
  /** Changes to the default call. */
  call?: Partial<Call>;
}

export interface Crew {
  upstream: { port: number; pid: number };
  load(target: Target, running: Running, asked: Asked): Promise<LoadReport>;
  /** Opens streams, calls back when all have begun, and lets them end. */
  holdStreams(target: Target, running: Running, count: number, whileOpen: () => Promise<void>): Promise<void>;
  /** Throws on any difference. */
  checkAccounts(targets: readonly Target[]): Promise<void>;
}

export async function hireCrew(stage: Stage): Promise<Crew> {
  const upstream = await stage.startHelper<UpstreamCommand, UpstreamReply>('upstream.ts');
  const loader = await stage.startHelper<LoadCommand, LoadReply>('load.ts');
  if (!('port' in upstream.greeting)) throw new Error('the upstream has no port');
  const { port } = upstream.greeting;
  const answered: Counts = {};

  const note = (target: Target, script: ScriptName, requests: number) => {
    const of = answered[target.name] ?? {};
    answered[target.name] = { ...of, [script]: (of[script] ?? 0) + requests };
  };

  const lastLines = async ({ name }: Target) => (await stage.logOf(name)).split('\n').slice(-LOG_LINES).join('\n');

  async function order(target: Target, command: LoadCommand): Promise<LoadReply> {
    const reply = await loader.ask(command);
    if ('failed' in reply) throw new Error(`${target.label}: ${reply.failed}\n${await lastLines(target)}`);
    return reply;
  }

  return {
    upstream: { port, pid: upstream.pid },
    async load(target, running, { script, connections, forMs, enough, rampMs, hasFirst = true, call: changes }) {
      const call = { ...callOf(target, running, script), ...changes };
      const watch = running.watch();
      const reply = await order(target, { do: 'load', call, connections, forMs, enough, rampMs, hasFirst, watch });
      if (!('report' in reply)) throw new Error('the load sent no report');
      // Refused requests never reach the upstream.
      if (call.expect.status === 200) note(target, script, reply.report.requests + reply.report.before);
      return reply.report;
    },
    async holdStreams(target, running, count, whileOpen) {
      await order(target, { do: 'open', call: callOf(target, running, 'held'), connections: count });
      await whileOpen();
      await upstream.ask('release');
      await order(target, { do: 'finish' });
      note(target, 'held', count);
    },
    async checkAccounts(targets) {
      const reply = await upstream.ask('count');
      const counts = 'counts' in reply ? reply.counts : {};
      for (const target of targets.filter(({ rewrites }) => !rewrites)) {
        const [came, went] = [answered[target.name] ?? {}, counts[target.name] ?? {}];
        if (!Bun.deepEquals(came, went)) {
          throw new Error(
            `${target.label}: answered ${JSON.stringify(came)}, the upstream counts ${JSON.stringify(went)}`,
          );
        }
        await checkLedger(target, went);
      }
    },
  };
}

async function checkLedger({ label, billing }: Target, counts: Counts[string]): Promise<void> {
  if (!billing) return;
  const all = Object.entries(counts) as [ScriptName, number][];
  const entries = all.reduce((sum, [, count]) => sum + count, 0);
  const nano = all.reduce((sum, [script, count]) => sum + BigInt(count) * costOf(script), 0n);
  const charged = await billing.charged();
  if (charged.entries !== entries || charged.nano !== nano) {
    throw new Error(
      `${label}: the ledger has ${charged.nano} nano in ${charged.entries} entries; the upstream’s count makes ${nano} in ${entries}`,
    );
  }
}

function costOf(script: ScriptName): bigint {
  const { usage } = scriptOf(script);
  return BigInt(usage.input) * PRICES.input + BigInt(usage.output) * PRICES.output;
}

export function requestBody(model: string, isStream: boolean, prompt = 'Tell me about the harbour.'): string {
  return JSON.stringify({
    model,
    messages: [
      { role: 'system', content: 'You are a careful writer. Answer in plain English, and keep it short.' },
      { role: 'user', content: prompt },
    ],
    max_tokens: 1_000,
    temperature: 0.7,
    ...(isStream ? { stream: true, stream_options: { include_usage: true } } : {}),
  });
}

function callOf(target: Target, { port }: Running, script: ScriptName): Call {
  const isStream = scriptOf(script).stream !== undefined;
  return {
    port,
    path: target.path,
    headers: target.headers,
    keys: target.keys,
    body: requestBody(target.modelOf(script), isStream),
    expect: target.rewrites
      ? { status: 200, ending: isStream ? 'data: [DONE]\n\n' : '}' }
      : { status: 200, body: comparable(bodyOf(script)) },
  };
}
