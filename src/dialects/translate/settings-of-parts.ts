// Settings of a part or a tool, for formats that do not have them: they are reported as dropped.

import type { Conversation, Part } from './conversation.ts';

export function settingsOfParts({ turns }: Conversation, tools: readonly { strict: boolean | undefined }[]): string[] {
  return [
    ...(turns.some(({ parts }) => parts.some(isDetailed)) ? ['detail'] : []),
    ...(tools.some(({ strict }) => strict === true) ? ['strict'] : []),
  ];
}

function isDetailed(part: Part): boolean {
  if (part.type === 'tool_result') return part.content.some(isDetailed);
  return part.type === 'image' && (part.detail ?? 'auto') !== 'auto';
}
