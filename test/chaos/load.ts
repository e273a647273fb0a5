// Calls without end to all nodes of a rig. Each answer is a success, a refusal that says when to try again, or a problem.

import { eventually } from '../support/eventually.ts';
import { type Caller, chat, register, UnexpectedAnswer, UnknownCost } from '../torture/calls.ts';
import { type Account, type Facts, noFacts } from '../torture/facts.ts';
import { act } from '../torture/torture.ts';
import type { Rig } from './rig.ts';

export interface LoadCounts {
  calls: number;
  /** 503 `unavailable`, with `retry-after`. */
  refused: number;
  /** Served, but the settlement was not known in time to report the cost. */
  withoutCost: number;
  /** No answer within ten seconds. */
  unanswered: number;
}

export interface Load {
  facts: Facts;
  counts: LoadCounts;
  problems: string[];
  /** Resolves when every node has served a paid call that began after this. */
  untilServed(): Promise<void>;
  stop(): Promise<void>;
}

const SERVED_MS = 60_000;

export async function startLoad(rig: Rig, workersPerNode = 4): Promise<Load> {
  const facts = noFacts();
  const problems: string[] = [];
  const counts: LoadCounts = { calls: 0, refused: 0, withoutCost: 0, unanswered: 0 };
  let isOn = true;
  const accounts: Account[] = [];
  const callers = rig.nodes.map(({ url }): Caller => ({ url, facts, takesRefusals: true }));
  for (const caller of callers) accounts.push(await register(caller));

  async function work(caller: Caller): Promise<void> {
    while (isOn) {
      counts.calls++;
      await act(rig, caller, accounts).catch(async (error: unknown) => {
        note(error);
        await Bun.sleep(20);
      });
    }
  }
  function note(error: unknown): void {
    if (error instanceof UnknownCost) counts.withoutCost++;
    else if (isRefusal(error)) counts.refused++;
    else if (error instanceof DOMException && error.name === 'TimeoutError') counts.unanswered++;
    else problems.push(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
  }
  const workers = callers.flatMap((caller) => Array.from({ length: workersPerNode }, () => work(caller)));

  return {
    facts,
    counts,
    problems,
    async untilServed() {
      const served = callers.map((caller, index) =>
        eventually(
          `node ${index} serves again`,
          () =>
            chat(caller, accounts[index] ?? noAccount(), 'paid json').then(
              () => true,
              (error) => void note(error),
            ),
          SERVED_MS,
        ),
      );
      await Promise.all(served);
    },
    async stop() {
      isOn = false;
      await Promise.all(workers);
    },
  };
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
