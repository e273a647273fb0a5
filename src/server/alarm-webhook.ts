// Sends alarms to the operator's URL: one POST each, with a timeout, signed if there is a secret. Throws NotDelivered if
// it fails; the alarm is in the log and the store anyway.

import { type MessageTools, sendMessage } from '../accounts/webhooks/send-message.ts';
import { type AlarmSink, NotDelivered, severityOf } from '../kit/alarms.ts';
import type { NewId } from '../kit/ids.ts';

const TIMEOUT_MS = 5_000;

interface AlarmWebhookTools extends MessageTools {
  newId: NewId;
}

interface AlarmReceiver {
  url: string;
  /** A secret of Standard Webhooks; undefined: alarms are not signed. */
  secret: string | undefined;
}

export function createAlarmWebhook(tools: AlarmWebhookTools, { url, secret }: AlarmReceiver): AlarmSink {
  const secrets = secret === undefined ? [] : [secret];
  return async ({ name, fields }) => {
    const at = new Date(tools.clock.now()).toISOString();
    const body = JSON.stringify({ alarm: name, severity: severityOf(name), at, ...fields });
    const message = { url, id: tools.newId('alm'), body, secrets, timeoutMs: TIMEOUT_MS };
    const { detail } = await sendMessage(tools, message);
    if (detail !== null) throw new NotDelivered(detail);
  };
}
