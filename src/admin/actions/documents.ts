// Operations on the catalog document: show it, check a new one against it, apply it, roll back.

import type { DocumentFault } from '../../catalog/check-references.ts';
import type { Document } from '../../catalog/document.ts';
import { exportBeside, exportDocument, rollBackDocument, showDocument } from '../../catalog/document-secrets.ts';
import { announcedEvents } from '../../catalog/publishing/announcements.ts';
import { prepareDocument, readDocument } from '../../catalog/read-document.ts';
import { type DocumentWarning, findWarnings, TRAFFIC_DAYS, warnReturned } from '../../catalog/warn-change.ts';
import { taipeiDay } from '../../kit/taipei.ts';
import { CONFIG_APPLY, type Revision } from '../../store/rows.ts';
import { logLine } from './audit-log.ts';
import { type DiffLine, diffLines } from './line-diff.ts';
import { type Newest, readNewest } from './newest.ts';
import { notFound } from './refused.ts';
import type { Actor, OperatingTools, StoreTools } from './tools.ts';

export type { DiffLine, DocumentFault, DocumentWarning };

export type CheckedDocument = Awaited<ReturnType<typeof checkDocument>>;

type Refusal =
  | { reason: 'faults'; faults: readonly DocumentFault[] }
  /** A newer revision was applied meanwhile: the diff is from the edited revision to the newest. */
  | { reason: 'stale'; revision: number; diff: readonly DiffLine[] }
  | { reason: 'unconfirmed'; warnings: readonly DocumentWarning[]; diff: readonly DiffLine[] }
  /** The document equals the newest revision. */
  | { reason: 'unchanged' };

export type AppliedDocument =
  | { ok: true; revision: number; warnings: readonly DocumentWarning[] }
  | ({ ok: false } & Refusal);

export interface ApplyOptions {
  /** The revision that was edited. */
  baseRevision: number;
  /** The operator confirmed the warnings. */
  confirmed: boolean;
  actor: Actor;
  /** For the log; `config.apply` by default. */
  action?: string;
  /** For the log, beside the revision. */
  detail?: Readonly<Record<string, unknown>>;
}

/** The action of a rollback in the log and the revision. */
const ROLLBACK = 'config.return';

/** With secrets shown as <kept>. */
export async function currentDocument(tools: StoreTools) {
  const { revision, createdAt, source, document } = (await readNewest(tools)).revision;
  return { revision, createdAt, source, yaml: exportDocument(document) };
}

export async function checkDocument(tools: OperatingTools, yaml: string, baseRevision?: number) {
  return (await check(tools, await readNewest(tools), { yaml, baseRevision })).checked;
}

interface Proposed {
  yaml: string;
  /** In a rollback, the old document that supplies <kept>; the newest one by default. */
  rollback?: { revision: number; stored: string; returned: readonly string[] };
  baseRevision?: number | undefined;
}

/** The result to show, and the text to store. */
async function check(tools: OperatingTools, newest: Newest, proposed: Proposed) {
  const { yaml, rollback, baseRevision } = proposed;
  const { revision, document: stored } = newest.revision;
  const prepared = prepareDocument(yaml, tools.sealer, rollback?.stored ?? stored);
  const checked = {
    /** Undefined if the document is valid. */
    faults: prepared.ok ? undefined : prepared.faults,
    /** From the newest revision to this text, with some context; empty if nothing changed. */
    diff: changesOf(diffLines(exportDocument(stored), proposedText(proposed, stored))),
    /** Changes that need confirmation. */
    warnings: prepared.ok ? await warningsOf(tools, newest, prepared.document, proposed) : [],
    /** The newest revision, if another one was edited. */
    stale: baseRevision === undefined || baseRevision === revision ? undefined : revision,
    revision,
  };
  return { checked, prepared };
}

async function warningsOf(tools: OperatingTools, newest: Newest, document: Document, { rollback }: Proposed) {
  const warnings: readonly DocumentWarning[] = findWarnings(
    newest.document,
    document,
    await recentTraffic(tools),
    tools.clock.now(),
  );
  return rollback ? [...warnings, ...warnReturned(document, rollback.returned, rollback.revision)] : warnings;
}

/** Normalised like stored documents: an operator's white space and comments are no change. */
function proposedText({ yaml, rollback }: Proposed, stored: string): string {
  if (rollback) return exportBeside(rollback.stored, stored, { isRollback: true });
  const { raw } = readDocument(yaml);
  return raw === undefined ? yaml : showDocument(raw);
}

function changesOf(diff: readonly DiffLine[]): readonly DiffLine[] {
  return diff.some(({ kind }) => kind === 'added' || kind === 'removed') ? diff : [];
}

function recentTraffic({ store, clock }: OperatingTools) {
  return store.read.trafficDays(taipeiDay(clock.now()) - TRAFFIC_DAYS);
}

export async function applyChecked(tools: OperatingTools, yaml: string, options: ApplyOptions) {
  return apply(tools, () => ({ yaml }), options);
}

async function apply(
  tools: OperatingTools,
  propose: (newest: Newest) => Proposed,
  options: ApplyOptions,
): Promise<AppliedDocument> {
  const { store, clock } = tools;
  const { baseRevision, confirmed, actor, action = CONFIG_APPLY, detail = {} } = options;
  const newest = await readNewest(tools);
  const { checked, prepared } = await check(tools, newest, { ...propose(newest), baseRevision });
  const { warnings, diff, stale } = checked;
  if (stale !== undefined) return staleRefusal(tools, baseRevision, newest);
  if (!prepared.ok) return { ok: false, reason: 'faults', faults: prepared.faults };
  if (diff.length === 0) return { ok: false, reason: 'unchanged' };
  if (warnings.length > 0 && !confirmed) return { ok: false, reason: 'unconfirmed', warnings, diff };
  const logged = {
    after_revision: baseRevision,
    ...lineCounts(diff),
    warnings: warnings.map(({ message }) => message),
  };
  const at = clock.now();
  const revised = await store.commit('revise', {
    document: prepared.stored,
    source: 'operator',
    sourceHash: prepared.sourceHash,
    at,
    expects: baseRevision,
    events: announcedEvents(newest.revision.document, prepared.document, at),
    log: logLine(tools, actor, action, 'catalog', { ...logged, ...detail }),
  });
  if (!revised.ok) return staleRefusal(tools, baseRevision, await readNewest(tools));
  await tools.follow();
  return { ok: true, revision: (await readNewest(tools)).revision.revision, warnings };
}

function lineCounts(diff: readonly DiffLine[]) {
  const count = (wanted: DiffLine['kind']) => diff.filter(({ kind }) => kind === wanted).length;
  return { lines_added: count('added'), lines_removed: count('removed') };
}

async function staleRefusal({ store }: OperatingTools, baseRevision: number, { revision }: Newest) {
  const base = await store.read.revision(baseRevision);
  const before = base ? exportDocument(base.document) : '';
  const diff = diffLines(before, exportDocument(revision.document));
  return { ok: false, reason: 'stale', revision: revision.revision, diff } as const;
}

/** Newest first. */
export async function listRevisions({ store }: StoreTools, limit: number, before = Number.MAX_SAFE_INTEGER) {
  const [rows, { revision: newest }] = await Promise.all([store.read.revisions(before, limit), store.read.pulse()]);
  return rows.map((row) => viewOf(row, newest));
}

/** Without the actor and the action that applied it if it is older than the action log. */
function viewOf(
  { revision, createdAt, source, actor, action }: Omit<Revision, 'document' | 'sourceHash'>,
  newest: number,
) {
  return {
    revision,
    createdAt,
    source,
    actor: actor ?? undefined,
    action: action ?? undefined,
    isNewest: revision === newest,
  };
}

/** Refused (not_found). The diff is against the previous revision. */
export async function showRevision({ store }: StoreTools, revision: number) {
  const [found, [previous], { revision: newest }] = await Promise.all([
    store.read.revision(revision),
    store.read.revisions(revision, 1),
    store.read.pulse(),
  ]);
  if (!found) throw notFound(`revision ${revision}`);
  const before = previous && (await store.read.revision(previous.revision));
  const isRollback = found.action === ROLLBACK;
  const yaml = before ? exportBeside(found.document, before.document, { isRollback }) : exportDocument(found.document);
  return {
    ...viewOf(found, newest),
    yaml: exportDocument(found.document),
    diff: diffLines(before ? exportDocument(before.document) : '', yaml),
  };
}

/** Rolls back: applies an old document as a new revision, with the newest secrets. Refused: not_found. */
export async function rollBack(tools: OperatingTools, revision: number, options: Omit<ApplyOptions, 'action'>) {
  const old = await oldRevision(tools, revision);
  const detail = { ...options.detail, to_revision: revision };
  return apply(tools, (newest) => proposeRollback(old, newest), { ...options, action: ROLLBACK, detail });
}

/** Shows what a rollback would change; applies nothing. Refused: not_found. */
export async function checkRollback(tools: OperatingTools, revision: number) {
  const old = await oldRevision(tools, revision);
  const newest = await readNewest(tools);
  return (await check(tools, newest, proposeRollback(old, newest))).checked;
}

async function oldRevision({ store }: OperatingTools, revision: number): Promise<Revision> {
  const old = await store.read.revision(revision);
  if (!old) throw notFound(`revision ${revision}`);
  return old;
}

function proposeRollback({ revision, document }: Revision, newest: Newest): Proposed {
  const rollback = rollBackDocument(document, newest.revision.document);
  return { yaml: exportDocument(rollback.stored), rollback: { revision, ...rollback } };
}
