// The catalog document in an operator's hands: look at it, check a new one against it, apply it, go back.

import type { DocumentFault } from '../catalog/check-references.ts';
import type { RevisionSource } from '../store/rows.ts';
import type { DocumentWarning } from './document-warnings.ts';
import type { DiffLine } from './line-diff.ts';
import type { Actor, OperatingTools } from './tools.ts';

export type { DiffLine, DocumentFault, DocumentWarning };

export interface CurrentDocument {
  revision: number;
  createdAt: number;
  source: RevisionSource;
  /** Stored secrets as <kept>. */
  yaml: string;
}

export interface CheckedDocument {
  /** Undefined if the document is valid. */
  faults: readonly DocumentFault[] | undefined;
  /** From the newest revision to this text, with a few lines around each change. */
  diff: readonly DiffLine[];
  /** What an operator should look at twice. */
  warnings: readonly DocumentWarning[];
  /** The newest revision, if it is not the one that was edited. */
  stale: number | undefined;
  revision: number;
}

export type Refusal =
  | { reason: 'faults'; faults: readonly DocumentFault[] }
  /** Somebody applied a newer revision: the diff is from the one that was edited to the newest. */
  | { reason: 'stale'; revision: number; diff: readonly DiffLine[] }
  | { reason: 'unconfirmed'; warnings: readonly DocumentWarning[]; diff: readonly DiffLine[] }
  /** The document says the same as the newest revision. */
  | { reason: 'unchanged' };

export type AppliedDocument =
  | { ok: true; revision: number; warnings: readonly DocumentWarning[] }
  | ({ ok: false } & Refusal);

export interface ApplyOptions {
  /** The revision that was edited. */
  baseRevision: number;
  /** The operator has seen the warnings. */
  confirmed: boolean;
  actor: Actor;
  /** For the log; `config.apply` if left out. */
  action?: string;
}

export interface RevisionView {
  revision: number;
  createdAt: number;
  source: RevisionSource;
  /** Who applied it, where the log of actions knows. */
  actor: string | undefined;
  action: string | undefined;
  isNewest: boolean;
}

export function currentDocument(tools: OperatingTools): Promise<CurrentDocument> {
  throw new Error('not yet');
}
export function checkDocument(tools: OperatingTools, yaml: string, baseRevision?: number): Promise<CheckedDocument> {
  throw new Error('not yet');
}
export function applyChecked(tools: OperatingTools, yaml: string, options: ApplyOptions): Promise<AppliedDocument> {
  throw new Error('not yet');
}
/** Newest first. */
export function listRevisions(tools: OperatingTools, limit: number, before?: number): Promise<RevisionView[]> {
  throw new Error('not yet');
}
/** Refused (not_found). The diff is from the revision before it. */
export function showRevision(
  tools: OperatingTools,
  revision: number,
): Promise<RevisionView & { yaml: string; diff: readonly DiffLine[] }> {
  throw new Error('not yet');
}
/** Applies an old revision's document again, as a new one; secrets are taken from it. */
export function returnTo(tools: OperatingTools, revision: number, options: ApplyOptions): Promise<AppliedDocument> {
  throw new Error('not yet');
}
