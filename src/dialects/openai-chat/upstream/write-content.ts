// Parts of a user's chat message. Parts that an upstream does not support are refused by their place in the client's body.

import type { RawValue } from '../../../kit/json/raw-json.ts';
import type { Quirks } from '../../../vendors/quirks.ts';
import { refuseField } from '../../fields.ts';
import { addressOf } from '../../media/data-address.ts';
import { textOfPart } from '../../translate/as-text.ts';
import type { DocumentPart, Part } from '../../translate/conversation.ts';

export type ContentPart = { [name: string]: RawValue | undefined };

export function writeContentPart(part: Part, quirks: Quirks): ContentPart {
  const text = textOfPart(part);
  if (text !== undefined) return { type: 'text', text };
  switch (part.type) {
    case 'image':
      return { type: 'image_url', image_url: { url: addressOf(part.source), detail: part.detail } };
    case 'document':
      return writeFile(part, quirks);
    case 'audio':
      if (!quirks.takesFiles)
        refuseField(part.at, `This model does not accept audio (${part.at}). Remove it, or use another model.`);
      return { type: 'input_audio', input_audio: { data: part.data, format: part.format } };
    default: {
      const kind = part.type === 'other' ? part.kind : part.type;
      return refuseField(part.at, `This model does not accept ${kind} (${part.at}). Remove it, or use another model.`);
    }
  }
}

const UNNAMED = 'document.pdf';

function writeFile({ source, title, at }: DocumentPart, { takesFiles }: Quirks): ContentPart {
  if (!takesFiles || source.kind !== 'base64') {
    return refuseField(
      at,
      `This model does not accept such a document (${at}). Send it as text, or use another model.`,
    );
  }
  return { type: 'file', file: { filename: title ?? UNNAMED, file_data: addressOf(source) } };
}
