// Settings that stand at a part or a tool, for formats that have no word for them: they are told as dropped.

import type { Conversation, ImagePart } from './conversation.ts';

export function settingsOfParts({ turns }: Conversation, tools: readonly { strict: boolean | undefined }[]): string[] {
  const isDetailed = ({ detail = 'auto' }: ImagePart) => detail !== 'auto';
  const shown = turns.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'tool_result' ? part.content : part)),
  );
  const images = shown.filter((part) => part.type === 'image');
  return [
    ...(images.some(isDetailed) ? ['detail'] : []),
    ...(tools.some(({ strict }) => strict === true) ? ['strict'] : []),
  ];
}
