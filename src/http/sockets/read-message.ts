// Reads a message of a client. A large one is scanned in pieces, between which other requests run.

import { type CreateMessage, readCreate } from '../../dialects/openai-responses/socket/create-message.ts';
import { finishScan, openScan, parseScannedText } from '../read-body.ts';

/** Throws `invalid_request`. */
export async function readMessage(text: string): Promise<CreateMessage> {
  const spans = await finishScan(openScan(text));
  const message = readCreate(text, spans);
  // No call will check what is only remembered.
  if (!message.generates) await parseScannedText(text, spans);
  return message;
}
