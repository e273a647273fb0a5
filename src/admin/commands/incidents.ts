// incidents list, add, end, delete: what the operator tells the public about troubles, in both languages of the pages.

import { taipeiDateTime } from '../../kit/taipei.ts';
import type { Incident } from '../../store/rows.ts';
import { type Command, type CommandTools, noArguments, oneArgument, Refused, requiredOption } from '../command.ts';
import { printTable } from '../print-table.ts';

const LIST_LIMIT = 1_000;
/** Not every database can hold control characters; a title is one line. */
const TITLE = { maxChars: 200, refused: /\p{Cc}/u };
const TEXT = { maxChars: 4_000, refused: /[^\P{Cc}\n]/u };

export const incidentCommands: readonly Command[] = [
  {
    words: 'incidents list',
    takes: '',
    about: 'what the status page tells about troubles, newest first',
    options: [],
    async run({ args, open }) {
      noArguments(args);
      const { store } = await open();
      const incidents = await store.read.incidents(LIST_LIMIT);
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
    takes: '--title-en TEXT --title-zh TEXT [--text-en TEXT --text-zh TEXT] [--started DATE]',
    about: 'tell about a trouble; it goes on until it is ended',
    options: ['title-en', 'title-zh', 'text-en', 'text-zh', 'started'],
    async run({ args, options, open }) {
      noArguments(args);
      const said = {
        titleEn: readText('title-en', requiredOption(options, 'title-en'), TITLE),
        titleZh: readText('title-zh', requiredOption(options, 'title-zh'), TITLE),
        ...readTexts(options['text-en'], options['text-zh']),
      };
      const { store, clock, newId } = await open();
      const now = clock.now();
      const startedAt = options.started === undefined ? now : readStarted(options.started, now);
      const incident = { incidentId: newId('inc'), startedAt, endedAt: null, ...said, createdAt: now };
      await store.commit('putIncident', { incident });
      return { facts: publicIncident(incident), text: incident.incidentId };
    },
  },
  {
    words: 'incidents end',
    takes: 'ID',
    about: 'say that it is over, from now on',
    options: [],
    async run({ args, open }) {
      const { store, clock } = await open();
      const known = await findIncident(store, oneArgument(args, 'ID'));
      if (known.endedAt !== null) throw new Refused(`${known.incidentId} has ended already`);
      const incident = { ...known, endedAt: Math.max(clock.now(), known.startedAt) };
      await store.commit('putIncident', { incident });
      return { facts: publicIncident(incident), text: `${incident.incidentId} has ended` };
    },
  },
  {
    words: 'incidents delete',
    takes: 'ID',
    about: 'take it back, as if it had never been told',
    options: [],
    async run({ args, open }) {
      const incidentId = oneArgument(args, 'ID');
      const { store } = await open();
      const { wasThere } = await store.commit('deleteIncident', { incidentId });
      if (!wasThere) throw noSuchIncident(incidentId);
      return { facts: { id: incidentId, deleted: true }, text: `${incidentId} is deleted` };
    },
  },
];

async function findIncident(store: CommandTools['store'], incidentId: string): Promise<Incident> {
  const known = (await store.read.incidents(LIST_LIMIT)).find((one) => one.incidentId === incidentId);
  if (!known) throw noSuchIncident(incidentId);
  return known;
}

function noSuchIncident(incidentId: string): Refused {
  return new Refused(`there is no incident ${incidentId}`);
}

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

/** Both or none: a reader of the other language must not be left out. */
function readTexts(textEn: string | undefined, textZh: string | undefined): Pick<Incident, 'textEn' | 'textZh'> {
  if (textEn === undefined && textZh === undefined) return { textEn: '', textZh: '' };
  if (textEn === undefined || textZh === undefined) throw new Refused('give both --text-en and --text-zh, or neither');
  return { textEn: readText('text-en', textEn, TEXT), textZh: readText('text-zh', textZh, TEXT) };
}

function readText(option: string, text: string, { maxChars, refused }: typeof TEXT): string {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > maxChars || !trimmed.isWellFormed() || refused.test(trimmed)) {
    throw new Refused(`--${option} must be a text of 1 to ${maxChars} characters, without control characters`);
  }
  return trimmed;
}

/** A date is its midnight in Taipei; a time names its zone. */
function readStarted(text: string, now: number): number {
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const isTime = /^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:\d{2})$/.test(text);
  const at = isDate ? Date.parse(`${text}T00:00:00+08:00`) : isTime ? Date.parse(text) : Number.NaN;
  // The calendar rolls 30 February over into March; an operator who typed it meant neither.
  const isReal = Number.isSafeInteger(at) && (!isDate || taipeiDateTime(at).startsWith(text));
  if (!isReal || at < 0 || at > now) {
    throw new Refused(`--started must be a past date or time, such as 2026-11-15 or 2026-11-15T09:30+08:00: ${text}`);
  }
  return at;
}
