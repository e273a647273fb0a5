// Calls without end to all nodes of a rig. Each answer is a success, a refusal that says when to try again, or a problem.

import { eventually } from '../support/eventually.ts';
import { type CallEnd, type Caller, chat, register, UnexpectedAnswer, UnknownCost } from '../torture/calls.ts';
import { type Account, countFacts, type Facts, noFacts } from '../torture/facts.ts';
import { act } from '../torture/torture.ts';
import type { Node, Rig } from './rig.ts';

/** Each call ends in exactly one of these. */
export type ChaosEnd =
  | CallEnd
  /** 503 `unavailable`, with `retry-after`. */
  | 'refused'
  /** Served, but the settlement was not known in time to report the cost. */
  | 'without cost'
  /** No answer within ten seconds; the node was frozen for a part of them. */
  | 'unanswered by a frozen node'
  /** The same of a node that was not: one of the problems. */
  | 'unanswered'
  /** Any other answer or broken connection: one of the problems. */
  | 'wrong';

export interface Load {
  facts: Facts;
  /** Calls that were begun. */
  calls(): number;
  ends: Readonly<Record<ChaosEnd, number>>;
  problems: string[];
  /** Resolves when every node has served a paid call that began after this. */
  untilServed(): Promise<void>;
  /** From now on, each worker waits so long between its calls. */
  rest(ms: number): void;
  /** Resolves when every call has ended. */
  stop(): Promise<void>;
}

const SERVED_MS = 60_000;
const AFTER_REFUSAL_MS = 20;

export const NO_ENDS: Readonly<Record<ChaosEnd, number>> = {
  ...{ acknowledged: 0, 'hung up': 0, 'error event': 0, 'cut off': 0, refused: 0 },
  ...{ 'without cost': 0, 'unanswered by a frozen node': 0, unanswered: 0, wrong: 0 },
};

export async function startLoad(rig: Rig, workersPerNode = 4): Promise<Load> {
  const facts = noFacts();
  const problems: string[] = [];
  const ends = { ...NO_ENDS };
  const accounts: Account[] = [];
  let calls = 0;
  let isOn = true;
  let restMs = 0;
  const callerOf = ({ url }: Node): Caller => ({ url, facts, takesRefusals: true });

  async function call(node: Node, make: (caller: Caller) => Promise<CallEnd>): Promise<ChaosEnd> {
    calls++;
    const since = performance.now();
    const end = await make(callerOf(node)).catch((error: unknown) => {
      const end = endOf(error, node.wasFrozen(since));
      if (end === 'wrong' || end === 'unanswered') {
        const ms = Math.round(performance.now() - since);
        problems.push(`${end} after ${ms} ms, ${new URL(node.url).host}: ${error}`);
      }
      return end;
    });
    ends[end]++;
    return end;
  }
  async function work(node: Node): Promise<void> {
    while (isOn) {
      const end = await call(node, (caller) => act(rig, caller, accounts));
      const isServed = end === 'acknowledged' || end === 'hung up';
      const pauseMs = isServed ? restMs : Math.max(restMs, AFTER_REFUSAL_MS);
      if (pauseMs > 0) await Bun.sleep(pauseMs);
    }
  }
  for (const node of rig.nodes) {
    await call(node, async (caller) => {
      accounts.push(await register(caller));
      return 'acknowledged';
    });
  }
  const workers = rig.nodes.flatMap((node) => Array.from({ length: workersPerNode }, () => work(node)));

  return {
    facts,
    calls: () => calls,
    ends,
    problems,
    async untilServed() {
      const served = rig.nodes.map((node, index) => {
        const pay = (caller: Caller) => chat(caller, accounts[index] ?? noAccount(), 'paid json');
        const isServed = async () => (await call(node, pay)) === 'acknowledged';
        return eventually(`node ${index} serves again`, isServed, SERVED_MS);
      });
      await Promise.all(served);
    },
    rest(ms) {
      restMs = ms;
    },
    async stop() {
      isOn = false;
      await Promise.all(workers);
      const ended = Object.values(ends).reduce((sum, count) => sum + count, 0);
      if (ended !== calls) problems.push(`${calls} calls had ${ended} ends`);
      if (ends.acknowledged !== countFacts(facts)) {
        problems.push(`${ends.acknowledged} calls were acknowledged, with ${countFacts(facts)} facts`);
      }
    },
  };
}

function endOf(error: unknown, wasFrozen: boolean): ChaosEnd {
  if (error instanceof UnknownCost) return 'without cost';
  if (isRefusal(error)) return 'refused';
  if (!(error instanceof DOMException && error.name === 'TimeoutError')) return 'wrong';
  return wasFrozen ? 'unanswered by a frozen node' : 'unanswered';
}

function isRefusal(error: unknown): boolean {
  return (
    error instanceof UnexpectedAnswer &&
    error.status === 503 &&
    error.saysWhen &&
    error.message.includes('"unavailable"')
  );
}

function noAccount(): never {
  throw new Error('there is no account');
}
