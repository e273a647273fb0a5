// The OpenAI chat format, as the relay uses it.

import { editMembers } from '../../kit/json/json.ts';
import type { Dialect } from '../dialect.ts';
import { joinStream, writeAsStream } from './other-form.ts';
import { readAnswer } from './read-answer.ts';
import { findRemovals, loweredFields, readRequest } from './read-request.ts';
import { ChatReader } from './read-stream.ts';
import { restateUsage } from './usage.ts';
import { writeRequest } from './write-request.ts';
import { ChatWriter } from './write-stream.ts';

export const openaiChat: Dialect = {
  endpoint: 'chat',
  envelope: 'openai',
  request: { promptField: 'messages', read: readRequest, findRemovals, loweredFields, write: writeRequest },
  answer: {
    read: readAnswer,
    write: (document, model, _, usage) =>
      editMembers(document, usage ? { model, usage: restateUsage(document.value.usage, usage) } : { model }),
  },
  stream: {
    createReader: ({ choices }) => new ChatReader(choices),
    createWriter: (request, options) => new ChatWriter(request, options),
    otherForm: { writeAsStream, joinStream },
  },
};
