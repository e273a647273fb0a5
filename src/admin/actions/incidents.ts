// Published incidents, in both languages of the pages.

import type { PutIncidentResult } from '../../store/operations.ts';
import type { Incident } from '../../store/rows.ts';
import { logLine } from './audit-log.ts';
import { readLine, readLines, readPastTime } from './read-input.ts';
import { invalid, notFound, OperatingRefused } from './refused.ts';
import type { Actor, OperatingTools, StoreTools } from './tools.ts';

interface IncidentText {
  titleEn: string;
  titleZh: string;
  /** Both or neither. */
  textEn?: string | undefined;
  textZh?: string | undefined;
  /**
   * A past date or time with its zone; default: now, or the current value. Required for a new incident that is over.
   */
  started?: string | undefined;
  /** The same; null or empty: ongoing; left out: unchanged. */
  ended?: string | null | undefined;
}

const LIST_LIMIT = 1_000;
const MAX_TITLE_CHARS = 200;
const MAX_TEXT_CHARS = 4_000;

/** Newest first. */
export function listIncidents({ store }: StoreTools, limit = LIST_LIMIT): Promise<Incident[]> {
  return store.read.incidents(limit);
}

/** Creates an incident, or changes the text, start or end of one. Refused: invalid, not_found. */
export async function putIncident(
  tools: OperatingTools,
  said: IncidentText & { incidentId?: string | undefined; actor: Actor },
): Promise<Incident> {
  const { store, clock, newId } = tools;
  const known = said.incidentId === undefined ? undefined : await findIncident(tools, said.incidentId);
  const now = clock.now();
  const endedAt = readEnd(said.ended, known, now);
  if (!known && endedAt !== null && said.started === undefined) {
    throw invalid('started', 'is missing: an incident that is over needs a start');
  }
  const latestStart = said.ended === undefined ? (endedAt ?? now) : now;
  const startedAt =
    said.started === undefined ? (known?.startedAt ?? now) : readPastTime(said.started, latestStart, 'started');
  if (endedAt !== null && endedAt < startedAt) throw invalid('ended', 'must not be before the start');
  const incident: Incident = {
    incidentId: known?.incidentId ?? newId('inc'),
    startedAt,
    endedAt,
    titleEn: readLine(said.titleEn, 'titleEn', MAX_TITLE_CHARS),
    titleZh: readLine(said.titleZh, 'titleZh', MAX_TITLE_CHARS),
    ...readTexts(said),
    createdAt: known?.createdAt ?? now,
  };
  const { incidentId, titleEn } = incident;
  const setsEnd = said.ended !== undefined;
  const log = logLine(tools, said.actor, known ? 'incidents.edit' : 'incidents.add', incidentId, {
    title: titleEn,
    ...(setsEnd ? { ended_at: endedAt === null ? null : new Date(endedAt).toISOString() } : {}),
  });
  const changes = setsEnd ? 'words_and_end' : 'words';
  return readPut(await store.commit('putIncident', { incident, ...(known ? { changes } : {}), log }), incidentId);
}

function readEnd(ended: IncidentText['ended'], known: Incident | undefined, now: number): number | null {
  if (ended === undefined) return known?.endedAt ?? null;
  return ended === null || ended.trim() === '' ? null : readPastTime(ended, now, 'ended');
}

function readPut(result: PutIncidentResult, incidentId: string): Incident {
  if (result.ok) return result.incident;
  if (result.reason === 'not_found') throw notFound(`incident ${incidentId}`);
  throw new OperatingRefused('already_done', `${incidentId} has ended already`);
}

/** Both or neither: readers of the other language must not miss it. */
function readTexts({ textEn = '', textZh = '' }: IncidentText): Pick<Incident, 'textEn' | 'textZh'> {
  if (textEn.trim() === '' && textZh.trim() === '') return { textEn: '', textZh: '' };
  if (textEn.trim() === '') throw invalid('textEn', 'is missing: give the text in both languages, or in neither');
  if (textZh.trim() === '') throw invalid('textZh', 'is missing: give the text in both languages, or in neither');
  return { textEn: readLines(textEn, 'textEn', MAX_TEXT_CHARS), textZh: readLines(textZh, 'textZh', MAX_TEXT_CHARS) };
}

/** Ends it now. Refused: not_found, already_done. */
export async function endIncident(tools: OperatingTools, incidentId: string, actor: Actor): Promise<Incident> {
  const known = await findIncident(tools, incidentId);
  const incident = { ...known, endedAt: tools.clock.now() };
  const log = logLine(tools, actor, 'incidents.end', incidentId, { title: known.titleEn });
  return readPut(await tools.store.commit('putIncident', { incident, changes: 'end', log }), incidentId);
}

/** Refused: not_found. */
export async function deleteIncident(tools: OperatingTools, incidentId: string, actor: Actor): Promise<void> {
  const log = logLine(tools, actor, 'incidents.delete', incidentId);
  const { wasThere } = await tools.store.commit('deleteIncident', { incidentId, log });
  if (!wasThere) throw notFound(`incident ${incidentId}`);
}

async function findIncident(tools: StoreTools, incidentId: string): Promise<Incident> {
  const known = (await listIncidents(tools)).find((incident) => incident.incidentId === incidentId);
  if (!known) throw notFound(`incident ${incidentId}`);
  return known;
}
