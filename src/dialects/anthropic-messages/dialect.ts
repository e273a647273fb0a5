// The Anthropic messages format, as the relay uses it.

import { editMembers } from '../../kit/json/json.ts';
import type { Dialect } from '../dialect.ts';
import { joinStream, writeAsStream } from './other-form.ts';
import { MessageReader, readAnswer } from './read-answer.ts';
import { conversationStart, findRemovals, readRequest } from './read-request.ts';
import { droppedUnsealed } from './remove-thinking.ts';
import { writeUsage } from './usage.ts';
import { writeRequest } from './write-request.ts';
import { MessageWriter } from './write-stream.ts';

export const anthropicMessages: Dialect = {
  endpoint: 'messages',
  envelope: 'anthropic',
  request: {
    promptField: 'messages',
    read: readRequest,
    findRemovals,
    droppedUnsealed,
    conversationStart,
    write: writeRequest,
  },
  answer: {
    read: readAnswer,
    write: (document, model, _, usage) =>
      editMembers(document, usage ? { model, usage: writeUsage(usage) } : { model }),
  },
  stream: {
    createReader: () => new MessageReader(),
    createWriter: (request, options) => new MessageWriter(request, options),
    otherForm: { writeAsStream, joinStream },
  },
};
