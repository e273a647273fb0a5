// incidents list, add, end, delete: published incidents, in both languages of the pages.

import { taipeiDateTime } from '../../kit/taipei.ts';
import type { Incident } from '../../store/rows.ts';
import { deleteIncident, endIncident, listIncidents, putIncident } from '../actions/incidents.ts';
import { ACTOR, type Command, noArguments, oneArgument, requiredOption } from './command.ts';
import { printTable } from './print-table.ts';

export const incidentCommands: readonly Command[] = [
  {
    words: 'incidents list',
    takes: '',
    about: 'incidents on the status page, newest first',
    options: [],
    async run({ args, open }) {
      noArguments(args);
      const incidents = await listIncidents(await open());
      return {
        facts: incidents.map(publicIncident),
        text: printTable(
          ['incident', 'started (Taipei)', 'ended (Taipei)', 'title'],
          incidents.map(({ incidentId, startedAt, endedAt, titleEn, titleZh }) => [
            incidentId,
            taipeiDateTime(startedAt),
            endedAt === null ? 'goes on' : taipeiDateTime(endedAt),
            `${titleEn} / ${titleZh}`,
          ]),
        ),
      };
    },
  },
  {
    words: 'incidents add',
    takes: '--title-en TEXT --title-zh TEXT [--text-en TEXT --text-zh TEXT] [--started DATE [--ended DATE]]',
    about: 'publish an incident; it is ongoing until it is ended, or until the time of --ended',
    options: ['title-en', 'title-zh', 'text-en', 'text-zh', 'started', 'ended'],
    async run({ args, options, open }) {
      noArguments(args);
      const said = {
        titleEn: requiredOption(options, 'title-en'),
        titleZh: requiredOption(options, 'title-zh'),
        textEn: options['text-en'],
        textZh: options['text-zh'],
        started: options.started,
        ended: options.ended,
      };
      const incident = await putIncident(await open(), { ...said, actor: ACTOR });
      return { facts: publicIncident(incident), text: incident.incidentId };
    },
  },
  {
    words: 'incidents end',
    takes: 'ID',
    about: 'end an incident now',
    options: [],
    async run({ args, open }) {
      const incident = await endIncident(await open(), oneArgument(args, 'ID'), ACTOR);
      return { facts: publicIncident(incident), text: `${incident.incidentId} has ended` };
    },
  },
  {
    words: 'incidents delete',
    takes: 'ID',
    about: 'delete an incident permanently',
    options: [],
    async run({ args, open }) {
      const incidentId = oneArgument(args, 'ID');
      await deleteIncident(await open(), incidentId, ACTOR);
      return { facts: { id: incidentId, deleted: true }, text: `${incidentId} is deleted` };
    },
  },
];

function publicIncident(incident: Incident) {
  return {
    id: incident.incidentId,
    started_at: new Date(incident.startedAt).toISOString(),
    ended_at: incident.endedAt === null ? null : new Date(incident.endedAt).toISOString(),
    title_en: incident.titleEn,
    title_zh: incident.titleZh,
    text_en: incident.textEn,
    text_zh: incident.textZh,
  };
}
