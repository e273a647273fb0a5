// Reads a message of a client. A large one is scanned in pieces, between which other requests run.

import { type CreateMessage, readCreate } from '../../dialects/openai-responses/socket/create-message.ts';
import { isSteer, writeSteerFailed } from '../../dialects/openai-responses/socket/own-messages.ts';
import { finishScan, openScan, parseScannedText } from '../read-body.ts';

/** A message that is answered without a turn. */
interface Answered {
  answer: string;
}

/** Throws `invalid_request` or `invalid_stream_id`. */
export async function readMessage(text: string): Promise<CreateMessage | Answered> {
  const spans = await finishScan(openScan(text));
  if (isSteer(text, spans)) return { answer: writeSteerFailed((await parseScannedText(text, spans)).value) };
  const message = readCreate(text, spans);
  // Checked here, because no call will check input that is only stored.
  if (!message.generates) await parseScannedText(text, spans);
  return message;
}
