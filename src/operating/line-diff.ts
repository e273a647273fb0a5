// The difference of two texts, line by line.

export type DiffLine =
  | {
      kind: 'same' | 'added' | 'removed';
      text: string /** Line numbers, from 1. */;
      before: number | null;
      after: number | null;
    }
  /** So many equal lines are left out here. */
  | { kind: 'skipped'; count: number };

export function diffLines(before: string, after: string, context = 3): DiffLine[] {
  throw new Error('not yet');
}
