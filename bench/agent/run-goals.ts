// Runs the goals one after the other, as one agent, and says how many calls each took.

import { Agent } from './agent.ts';
import { GOALS, type Progress } from './goals.ts';

export interface GoalResult {
  name: string;
  calls: number;
  /** Undefined if it was reached. */
  missed: string | undefined;
}

export interface AgentResult {
  goals: readonly GoalResult[];
  medianCalls: number;
  /** Answers that gave no way to go on. */
  deadEnds: readonly string[];
}

export async function runGoals(url: string, given: Agent['given']): Promise<AgentResult> {
  const agent = new Agent(url, given);
  const progress: Progress = { paidModel: '', paid: undefined };
  const goals: GoalResult[] = [];
  for (const { name, reach } of GOALS) {
    const before = agent.calls;
    const missed = await reach(agent, progress).then(
      () => undefined,
      (error: unknown) => String(error),
    );
    goals.push({ name, calls: agent.calls - before, missed });
  }
  return { goals, medianCalls: median(goals.map(({ calls }) => calls)), deadEnds: agent.deadEnds };
}

function median(counts: readonly number[]): number {
  const sorted = counts.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2;
}
