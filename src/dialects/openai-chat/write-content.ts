// Parts of a user's chat message. What an upstream has no word for is refused by its place in the client's body.

import type { Quirks } from '../../kit/quirks.ts';
import type { RawValue } from '../../kit/raw-json.ts';
import { refuseField } from '../fields.ts';
import type { DocumentPart, MediaSource, Part } from '../translate/conversation.ts';

export type ContentPart = { [name: string]: RawValue | undefined };

export function writeContentPart(part: Part, quirks: Quirks): ContentPart {
  const text = textPart(part);
  if (text !== undefined) return { type: 'text', text };
  switch (part.type) {
    case 'image':
      return { type: 'image_url', image_url: { url: addressOf(part.source), detail: part.detail } };
    case 'document':
      return writeFile(part, quirks);
    case 'audio':
      if (!quirks.takesFiles) refuseField(part.at, `Remove ${part.at}, or ask another model: this one takes no sound.`);
      return { type: 'input_audio', input_audio: { data: part.data, format: part.format } };
    default: {
      const kind = part.type === 'other' ? part.kind : part.type;
      return refuseField(part.at, `Remove ${part.at}, or ask another model: this one takes no ${kind}.`);
    }
  }
}

/** The words of a part that is nothing but words; a document of text is. */
export function textPart(part: Part): string | undefined {
  if (part.type === 'text') return part.text;
  if (part.type !== 'document' || part.source.kind !== 'text') return undefined;
  return part.title === undefined ? part.source.text : `${part.title}\n\n${part.source.text}`;
}

function addressOf(source: MediaSource): string {
  return source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;
}

const UNNAMED = 'document.pdf';

function writeFile({ source, title, at }: DocumentPart, { takesFiles }: Quirks): ContentPart {
  if (!takesFiles || source.kind !== 'base64') {
    return refuseField(at, `Send ${at} as text, or ask another model: this one takes no such document.`);
  }
  return { type: 'file', file: { filename: title ?? UNNAMED, file_data: addressOf(source) } };
}
