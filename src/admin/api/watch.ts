// /api/admin/alarms, incidents and actions: what happened, what is published, and who did what.

import { z } from 'zod';
import { acknowledge, acknowledgeAll, groupOpenAlarms, listAlarms } from '../actions/alarms.ts';
import { listActions } from '../actions/audit-log.ts';
import { deleteIncident, endIncident, listIncidents, putIncident } from '../actions/incidents.ts';
import { ACTOR, type AdminOperation, operation, paged, text } from './operation.ts';

const incident = z.strictObject({
  title_en: text,
  title_zh: text,
  text_en: text.optional(),
  text_zh: text.optional(),
  started: text.optional(),
  ended: text.nullable().optional(),
});

function toIncident({ title_en, title_zh, text_en, text_zh, started, ended }: z.output<typeof incident>) {
  return { titleEn: title_en, titleZh: title_zh, textEn: text_en, textZh: text_zh, started, ended };
}

export const WATCH_OPERATIONS: readonly AdminOperation[] = [
  operation('GET /api/admin/alarms', {
    id: 'listAlarms',
    summary: 'Alarms, newest first, each with its severity: critical, warning or info.',
    query: paged().extend({ open: z.stringbool().default(false), name: text.optional(), subject: text.optional() }),
    run: async (tools, { query: { limit, before, open, name, subject } }) => ({
      data: await listAlarms(tools, limit, { before, openOnly: open, name, subject }),
    }),
  }),
  operation('GET /api/admin/alarms/groups', {
    id: 'groupAlarms',
    summary:
      'Open alarms by name and subject, with their number, the first and the newest; the most severe first. `next_cursor`, if not null, is `cursor` of the next page.',
    query: paged().omit({ before: true }).extend({ cursor: text.optional() }),
    run: (tools, { query }) => groupOpenAlarms(tools, query),
  }),
  operation('POST /api/admin/alarms/acknowledge', {
    id: 'acknowledgeAlarms',
    summary:
      'Acknowledge all alarms with this name, or only those with this `subject`; up to the alarm `through`, or up to now.',
    body: z.strictObject({ name: text, subject: text.optional(), through: z.number().int().min(1).optional() }),
    run: (tools, { body }) => acknowledgeAll(tools, body, ACTOR),
  }),
  operation('POST /api/admin/alarms/:id/acknowledge', {
    id: 'acknowledgeAlarm',
    summary: 'Acknowledge an alarm.',
    body: z.strictObject({}),
    async run(tools, { params }) {
      const alarmId = /^\d{1,15}$/.test(params.id) ? Number(params.id) : 0;
      await acknowledge(tools, alarmId, ACTOR);
      return { alarmId, acknowledged: true };
    },
  }),
  operation('GET /api/admin/incidents', {
    id: 'listIncidents',
    summary: 'Published incidents, newest first.',
    query: paged().omit({ before: true }),
    run: async (tools, { query }) => ({ data: await listIncidents(tools, query.limit) }),
  }),
  operation('POST /api/admin/incidents', {
    id: 'addIncident',
    summary: 'Publish an incident. It is ongoing until it is ended, unless `ended` gives the time.',
    status: 201,
    body: incident,
    run: (tools, { body }) => putIncident(tools, { ...toIncident(body), actor: ACTOR }),
  }),
  operation('PUT /api/admin/incidents/:id', {
    id: 'editIncident',
    summary:
      'Change the texts, start or end of an incident. `ended` empty or null: it is ongoing; without `ended` its end stays.',
    body: incident,
    run: (tools, { params, body }) => putIncident(tools, { ...toIncident(body), incidentId: params.id, actor: ACTOR }),
  }),
  operation('POST /api/admin/incidents/:id/end', {
    id: 'endIncident',
    summary: 'End an incident now.',
    body: z.strictObject({}),
    run: (tools, { params }) => endIncident(tools, params.id, ACTOR),
  }),
  operation('DELETE /api/admin/incidents/:id', {
    id: 'deleteIncident',
    summary: 'Delete an incident. The status page no longer shows it.',
    async run(tools, { params }) {
      await deleteIncident(tools, params.id, ACTOR);
      return { id: params.id, deleted: true };
    },
  }),
  operation('GET /api/admin/actions', {
    id: 'listActions',
    summary:
      'The log of what operators did, and the server itself, newest first; `action` is a whole one or an area such as `cards.`.',
    query: paged().extend({ actor: text.optional(), action: text.optional(), subject: text.optional() }),
    run: async (tools, { query: { limit, ...filter } }) => ({ data: await listActions(tools, limit, filter) }),
  }),
];
