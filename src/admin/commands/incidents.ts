// incidents list, add, end, delete: published incidents, in both languages of the pages.

import { taipeiDateTime } from '../../kit/taipei.ts';
import type { Incident } from '../../store/rows.ts';
import { deleteIncident, endIncident, listIncidents, putIncident } from '../actions/incidents.ts';
import { publicView } from '../api/public-view.ts';
import { ACTOR, type Command, requiredOption } from './command.ts';
import { printTable } from './print-table.ts';

export const incidentCommands: readonly Command[] = [
  {
    words: 'incidents list',
    takes: '',
    about: 'incidents on the status page, newest first',
    async run({ open }) {
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
    async run({ options, open }) {
      const { started, ended, 'text-en': textEn, 'text-zh': textZh } = options;
      const titleEn = requiredOption(options, 'title-en');
      const titleZh = requiredOption(options, 'title-zh');
      const said = { titleEn, titleZh, textEn, textZh, started, ended, actor: ACTOR };
      const incident = await putIncident(await open(), said);
      return { facts: publicIncident(incident), text: incident.incidentId };
    },
  },
  {
    words: 'incidents end',
    takes: 'ID',
    about: 'end an incident now',
    async run({ args: [incidentId = ''], open }) {
      const incident = await endIncident(await open(), incidentId, ACTOR);
      return { facts: publicIncident(incident), text: `${incident.incidentId} has ended` };
    },
  },
  {
    words: 'incidents delete',
    takes: 'ID',
    about: 'delete an incident permanently',
    async run({ args: [incidentId = ''], open }) {
      await deleteIncident(await open(), incidentId, ACTOR);
      return { facts: { id: incidentId, deleted: true }, text: `${incidentId} is deleted` };
    },
  },
];

function publicIncident({ incidentId: id, startedAt, endedAt, titleEn, titleZh, textEn, textZh }: Incident) {
  return publicView({ id, startedAt, endedAt, titleEn, titleZh, textEn, textZh });
}
