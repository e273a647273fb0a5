// Sends alarms to the operator's URL: one POST each, with a timeout. Throws NotDelivered if it fails; the alarm is in
// the log and the store anyway.

import type { Fetch } from '../channels/upstream.ts';
import { type AlarmSink, NotDelivered } from '../kit/alarms.ts';
import type { Clock } from '../kit/clock.ts';

const TIMEOUT_MS = 5_000;

export function createAlarmWebhook(url: string, send: Fetch, clock: Clock): AlarmSink {
  return async ({ name, fields }) => {
    const timeout = new AbortController();
    const cancel = clock.after(TIMEOUT_MS, () => timeout.abort());
    try {
      const body = JSON.stringify({ alarm: name, at: new Date(clock.now()).toISOString(), ...fields });
      const headers = { 'content-type': 'application/json' };
      const response = await send(url, { method: 'POST', headers, body, signal: timeout.signal, redirect: 'manual' });
      await response.body?.cancel();
      if (!response.ok) throw new NotDelivered(`it answered ${response.status}`);
    } catch (error) {
      if (error instanceof NotDelivered) throw error;
      const { aborted } = timeout.signal;
      throw new NotDelivered(aborted ? `no answer within ${TIMEOUT_MS / 1_000} s` : 'it could not be reached');
    } finally {
      cancel();
    }
  };
}
