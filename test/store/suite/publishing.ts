// What the pages tell the public: incidents as the operator writes them, and traffic by day.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { taipeiDay, taipeiDayStart } from '../../../src/kit/taipei.ts';
import type { Incident } from '../../../src/store/rows.ts';
import { fresh, HOUR, T0 } from './samples.ts';
import type { OpenSubject, StoreSubject } from './subject.ts';

export function describePublishing(open: OpenSubject): void {
  describe('for the public', () => {
    let subject: StoreSubject;
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(() => subject.close());

    test('incidents are written, changed and deleted; the newest come first', async () => {
      const incident = (fields: Partial<Incident> = {}): Incident => ({
        incidentId: fresh('inc'),
        startedAt: T0,
        endedAt: null,
        titleEn: 'Slow answers',
        titleZh: '回應較慢',
        textEn: '',
        textZh: '',
        createdAt: T0 + 1,
        ...fields,
      });
      const [old, young] = [incident(), incident({ startedAt: T0 + HOUR, endedAt: T0 + 2 * HOUR })];
      for (const one of [old, young]) await subject.store.commit('putIncident', { incident: one });
      expect(await subject.store.read.incidents(10)).toEqual([young, old]);
      expect(await subject.store.read.incidents(1)).toEqual([young]);
      const ended = { ...old, endedAt: T0 + 5, textEn: 'It is over.' };
      await subject.store.commit('putIncident', { incident: ended });
      expect(await subject.store.read.incidents(10)).toEqual([young, ended]);
      const { incidentId } = young;
      expect(await subject.store.commit('deleteIncident', { incidentId })).toEqual({ wasThere: true });
      expect(await subject.store.commit('deleteIncident', { incidentId })).toEqual({ wasThere: false });
      expect(await subject.store.read.incidents(10)).toEqual([ended]);
      const backwards = subject.store.commit('putIncident', { incident: incident({ endedAt: T0 - 1 }) });
      expect(await backwards.catch((error) => error.code)).toBe('internal_error');
    });

    test('of an incident words and end are changed apart, and none comes back', async () => {
      const { store } = subject;
      const incidentId = fresh('inc');
      const titles = { titleEn: 'Slow', titleZh: '較慢', textEn: '', textZh: '' };
      const told: Incident = { incidentId, startedAt: T0, endedAt: null, ...titles, createdAt: T0 };
      await store.commit('putIncident', { incident: told });
      const [ended, said, again] = await Promise.all([
        store.commit('putIncident', { incident: { ...told, endedAt: T0 + 5 }, changes: 'end' }),
        store.commit('putIncident', { incident: { ...told, titleEn: 'Slower' }, changes: 'words' }),
        store.commit('putIncident', { incident: { ...told, endedAt: T0 + 9 }, changes: 'end' }),
      ]);
      const both = { ...told, titleEn: 'Slower', endedAt: T0 + 5 };
      expect(ended).toEqual({ ok: true, incident: { ...told, endedAt: T0 + 5 } });
      expect(said).toEqual({ ok: true, incident: both });
      expect(again).toEqual({ ok: false, reason: 'ended' });
      expect(await store.read.incidents(10)).toContainEqual(both);
      const reopened = { ...both, titleEn: 'Slow again', endedAt: null };
      const open = await store.commit('putIncident', { incident: reopened, changes: 'words_and_end' });
      expect(open).toEqual({ ok: true, incident: reopened });
      await store.commit('deleteIncident', { incidentId });
      for (const changes of ['words', 'end', 'words_and_end'] as const) {
        const late = await store.commit('putIncident', { incident: both, changes });
        expect(late).toEqual({ ok: false, reason: 'not_found' });
      }
      expect((await store.read.incidents(10)).map((one) => one.incidentId)).not.toContain(incidentId);
    });

    test('traffic is summed by Taipei day', async () => {
      const day = taipeiDay(T0);
      const midnight = taipeiDayStart(day) / HOUR;
      const sum = (hour: number, ok: number, failed: number, channel = 'a') => ({
        hour,
        channel,
        model: 'm',
        ok,
        failed,
        firstToken: [ok],
        total: [ok],
      });
      const sums = [
        sum(midnight - 1, 1, 0),
        sum(midnight, 10, 1),
        sum(midnight + 23, 20, 2),
        sum(midnight + 5, 5, 5, 'b'),
      ];
      await subject.store.commit('traffic', { sums });
      expect(await subject.store.read.trafficDays(day)).toEqual([
        { day, channel: 'a', model: 'm', ok: 30, failed: 3 },
        { day, channel: 'b', model: 'm', ok: 5, failed: 5 },
      ]);
      expect(await subject.store.read.trafficDays(day - 1)).toHaveLength(3);
      expect(await subject.store.read.trafficDays(day + 1)).toEqual([]);
    });
  });
}
