// A conversation's turns as messages for an Anthropic upstream.

import { describe, expect, test } from 'bun:test';
import { anthropicMessagesUpstream } from '../../../../src/dialects/anthropic-messages/upstream/adapter.ts';
import type { Target } from '../../../../src/dialects/translate/adapters.ts';
import type { Conversation, Part } from '../../../../src/dialects/translate/conversation.ts';
import type { Answer } from '../../../support/answer.ts';
import {
  callPart,
  conversationOf,
  refusedParam,
  resultPart,
  targetOf,
  textPart,
  toolOf,
  turnOf,
  userTurn,
} from '../../../support/conversation.ts';

const FIELDS = { model: 'm', maxOutputTokens: 4000, thinkingBudget: undefined, limitField: 'max_tokens' } as const;
const MODERN = targetOf('claude-opus-5');
const OLD = targetOf('claude-sonnet-4-5-20250929');

function write(given: Partial<Conversation>, target: Target = MODERN, prefill?: string): Answer {
  const written = anthropicMessagesUpstream.writeConversation(conversationOf(given), target);
  return JSON.parse(written.body(FIELDS, { stream: true, prefill }));
}
const text = (words: string) => ({ type: 'text', text: words });
const user = (...words: string[]) => ({ role: 'user', content: words.map(text) });
const assistant = (...words: string[]) => ({ role: 'assistant', content: words.map(text) });

describe('system', () => {
  test('is a list, one block each, in order', () => {
    const body = write({ system: [textPart('one'), textPart(''), textPart('two')] });
    expect(body.system).toEqual([text('one'), text('two')]);
  });

  test('in the middle it stays where a model takes it, last or before an answer', () => {
    const turns = [
      userTurn('a'),
      turnOf('system', 's'),
      turnOf('assistant', 'b'),
      userTurn('c'),
      turnOf('system', 't'),
    ];
    expect(write({ turns }).messages).toEqual([
      user('a'),
      { role: 'system', content: [text('s')] },
      assistant('b'),
      user('c'),
      { role: 'system', content: [text('t')] },
    ]);
  });

  test('elsewhere, and for other models, its text is the user s in the same place', () => {
    const turns = [userTurn('a'), turnOf('system', 's'), userTurn('b')];
    expect(write({ turns }).messages).toEqual([user('a', 's', 'b')]);
    const after = [userTurn('a'), turnOf('assistant', 'b'), turnOf('system', 's'), userTurn('c')];
    expect(write({ turns: after }).messages).toEqual([user('a'), assistant('b'), user('s', 'c')]);
    for (const model of ['claude-opus-4-7', 'claude-sonnet-4-5', 'somebody-else']) {
      const folded = write({ turns: [userTurn('a'), turnOf('system', 's')] }, targetOf(model));
      expect(folded.messages).toEqual([user('a', 's')]);
    }
  });

  test('never two in a row, never the first', () => {
    const two = [userTurn('a'), turnOf('system', 's'), turnOf('system', 't')];
    expect(write({ turns: two }).messages).toEqual([user('a'), { role: 'system', content: [text('s'), text('t')] }]);
    const first = [userTurn(''), turnOf('system', 's'), turnOf('assistant', 'b'), userTurn('c')];
    expect(write({ turns: first }).messages).toEqual([user('s'), assistant('b'), user('c')]);
  });
});

describe('turns', () => {
  test('begin with the user, even if the client s history does not', () => {
    const { messages } = write({ turns: [turnOf('assistant', 'Welcome'), userTurn('a')] });
    expect(messages.map(({ role }: Answer) => role)).toEqual(['user', 'assistant', 'user']);
  });

  test('of one role are one, with their blocks apart', () => {
    expect(write({ turns: [userTurn('a'), userTurn('b', 'c')] }).messages).toEqual([user('a', 'b', 'c')]);
  });

  test('text of nothing but white space is left out, and a request of nothing else is refused', () => {
    const turns = [
      userTurn(' \n'),
      userTurn('a'),
      turnOf('assistant', '', callPart('1')),
      userTurn(resultPart('1'), ' '),
    ];
    const { messages } = write({ turns, tools: [toolOf('look')] });
    expect(messages.map(({ content }: Answer) => content.map(({ type }: Answer) => type))).toEqual([
      ['text'],
      ['tool_use'],
      ['tool_result'],
    ]);
    expect(refusedParam(() => write({ turns: [userTurn('')] }))).toBe('messages');
    expect(refusedParam(() => write({ turns: [{ ...userTurn(''), at: 'input[0]' }] }))).toBe('input');
  });

  test('results of several calls stand in one turn right after them', () => {
    const turns = [
      userTurn('a'),
      turnOf('assistant', callPart('1'), callPart('2')),
      userTurn(resultPart('2')),
      userTurn(resultPart('1'), 'b'),
    ];
    expect(write({ turns, tools: [toolOf('look')] }).messages[2]).toEqual({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: '1', content: 'found' },
        { type: 'tool_result', tool_use_id: '2', content: 'found' },
        text('b'),
      ],
    });
  });

  test('a missing result is sent as an error', () => {
    const turns = [userTurn('a'), turnOf('assistant', callPart('1')), userTurn('b')];
    expect(write({ turns }).messages[2].content[0]).toEqual({
      type: 'tool_result',
      tool_use_id: '1',
      content: '[result missing]',
      is_error: true,
    });
  });

  test('pictures in a result stay in it', () => {
    const image: Part = { type: 'image', source: { kind: 'url', url: 'https://x/y.png' }, at: 'i' };
    const result: Part = {
      type: 'tool_result',
      callId: '1',
      content: [textPart('see'), image],
      isError: true,
      at: 'r',
    };
    const { messages } = write({ turns: [userTurn('a'), turnOf('assistant', callPart('1')), userTurn(result)] });
    expect(messages[2].content[0]).toEqual({
      type: 'tool_result',
      tool_use_id: '1',
      content: [text('see'), { type: 'image', source: { type: 'url', url: 'https://x/y.png' } }],
      is_error: true,
    });
  });
});

describe('calls', () => {
  const inputOf = (args: string, given = {}) => {
    const written = anthropicMessagesUpstream.writeConversation(
      conversationOf({ turns: [userTurn('a'), turnOf('assistant', callPart('1', args, given))] }),
      MODERN,
    );
    const body = written.body(FIELDS, { stream: false });
    return body.slice(body.indexOf('"input":') + '"input":'.length, body.indexOf('}]}]'));
  };

  test('arguments keep every character', () => {
    const args = '{"10":1, "2":12345678901234567890,"é":"\\u00e9\\/", "a":1.0}';
    expect(inputOf(args)).toBe(args);
  });

  test('what is no object is put into one', () => {
    expect(inputOf('')).toBe('{}');
    expect(inputOf('{bad')).toBe('{"_raw":"{bad"}');
    expect(inputOf('[1.0]')).toBe('{"_value":[1.0]}');
    expect(inputOf('free "text"', { isCustom: true })).toBe('{"input":"free \\"text\\""}');
  });

  test('names and ids that the vendor refuses get others, alike in call and result', () => {
    const id = 'functions.look:0';
    const turns = [
      userTurn('a'),
      turnOf('assistant', callPart(id, '{}', { name: 'ns.look at' })),
      userTurn(resultPart(id)),
    ];
    const { messages, tools } = write({ turns, tools: [toolOf('ns.look at')] });
    const [call] = messages[1].content;
    expect(call.id).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(call.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(tools[0].name).toBe(call.name);
    expect(messages[2].content[0].tool_use_id).toBe(call.id);
  });
});

describe('an answer begun by the client', () => {
  const turns = [userTurn('a'), turnOf('assistant', 'The answer is  \n')];

  test('passes, trimmed, where the model or the route continues it', () => {
    const expected = [user('a'), assistant('The answer is')];
    expect(write({ turns }, OLD).messages).toEqual(expected);
    expect(write({ turns }, { ...MODERN, prefill: true }).messages).toEqual(expected);
  });

  test('elsewhere is sent as a request of the user, and reported', () => {
    const written = anthropicMessagesUpstream.writeConversation(conversationOf({ turns }), MODERN);
    const { messages } = JSON.parse(written.body(FIELDS, { stream: false }));
    expect(messages).toHaveLength(1);
    expect(messages[0].role).toBe('user');
    expect(messages[0].content[1].text).toContain('Do not repeat');
    expect(messages[0].content[1].text).toEndWith('The answer is  \n');
    expect(written.reworded).toEqual(['prefill']);
  });

  test('after a system turn: that turn may not stay, because no answer follows it', () => {
    const { messages } = write({ turns: [userTurn('a'), turnOf('system', 's'), turnOf('assistant', 'b')] });
    expect(messages.map(({ role }: Answer) => role)).toEqual(['user']);
  });

  test('a turn that ends in calls stays as it is', () => {
    const calling = [userTurn('a'), turnOf('assistant', 'Let me see', callPart('1'))];
    const written = anthropicMessagesUpstream.writeConversation(conversationOf({ turns: calling }), MODERN);
    expect(JSON.parse(written.body(FIELDS, { stream: false })).messages[1].content).toHaveLength(2);
    expect(written.reworded).toEqual([]);
  });

  test('what was sent of an answer goes on after it', () => {
    expect(write({ turns }, OLD, ' 4, because ').messages).toEqual([user('a'), assistant('The answer is 4, because')]);
    expect(write({}, OLD, 'Four ').messages).toEqual([user('Hi'), assistant('Four')]);
    expect(write({}, OLD, ' ').messages).toEqual([user('Hi')]);
  });
});

describe('reasoning', () => {
  const thought = (origin: string | undefined, given = {}): Part => ({
    type: 'reasoning',
    text: 'hm',
    opaque: origin === undefined ? undefined : { origin, value: 'c2ln' },
    at: 'r',
    ...given,
  });

  const mine = (value: string, given = {}) =>
    thought(MODERN.origin, { opaque: { origin: MODERN.origin, value }, ...given });
  /** Each block of the model's turn: a thought by its signature. */
  const blocksOf = (parts: (Part | string)[], target = MODERN) => {
    const results = parts.flatMap((part) => (typeof part === 'object' && part.type === 'tool_call' ? [part.id] : []));
    const turns = [userTurn('a'), turnOf('assistant', ...parts), userTurn(...results.map((id) => resultPart(id)), 'b')];
    const turn = write({ turns }, target).messages.find(({ role }: Answer) => role === 'assistant');
    return turn?.content.map(({ type, signature }: Answer) => signature ?? type);
  };

  test('of this very model goes back in its place, with its signature', () => {
    const parts = [
      thought(MODERN.origin),
      thought(MODERN.origin, { text: '', redacted: 'xyz' }),
      'said',
      callPart('1'),
    ];
    const { messages } = write({ turns: [userTurn('a'), turnOf('assistant', ...parts), userTurn(resultPart('1'))] });
    expect(messages[1].content.slice(0, 2)).toEqual([
      { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'xyz' },
    ]);
    const mixed = [mine('S1'), 'said', mine('S2'), callPart('1'), mine('S3'), callPart('2')];
    expect(blocksOf(mixed)).toEqual(['S1', 'text', 'S2', 'tool_use', 'S3', 'tool_use']);
  });

  test('that lost its place stays behind, and so does what the model thought after it', () => {
    const moved = [mine('S1'), mine('S2', { isMoved: true }), mine('S3'), 'said', callPart('1')];
    expect(blocksOf(moved)).toEqual(['S1', 'text', 'tool_use']);
    // The text between them is refused, and without it they would be neighbours.
    expect(blocksOf([mine('S1'), '\n\n', mine('S2'), 'said'])).toEqual(['S1', 'text']);
    const lenient = targetOf('deepseek-chat');
    const any = [thought(lenient.origin), '\n\n', thought(lenient.origin, { isMoved: true }), 'said'];
    expect(blocksOf(any, lenient)).toEqual(['c2ln', 'c2ln', 'text']);
  });

  test('that stands last stays behind: nothing came of it', () => {
    expect(blocksOf([mine('S1'), callPart('1'), mine('S2'), '\n'])).toEqual(['S1', 'tool_use']);
    expect(blocksOf([mine('S1')])).toBeUndefined();
  });

  test('without a signature is sent back only to models that do not check it', () => {
    const unsigned = (target: Target) => {
      const thoughts = thought(target.origin, { opaque: { origin: target.origin, value: '' } });
      return write({ turns: [userTurn('a'), turnOf('assistant', thoughts, 'b'), userTurn('c')] }, target).messages[1];
    };
    expect(unsigned(MODERN)).toEqual(assistant('b'));
    expect(unsigned(targetOf('deepseek-chat')).content[0]).toMatchObject({ type: 'thinking' });
  });

  test('of another or an unknown model is removed; a turn that becomes empty is removed, too', () => {
    const turns = [userTurn('a'), turnOf('assistant', thought('another000'), thought(undefined)), userTurn('b')];
    expect(write({ turns }).messages).toEqual([user('a', 'b')]);
  });
});

describe('media', () => {
  const PNG = Buffer.from('\x89PNG\r\n\x1a\n rest', 'latin1').toString('base64');
  const writePart = (part: Part) => write({ turns: [userTurn(part)] }).messages[0].content[0];
  const image = (mediaType: string, data: string): Part => ({
    type: 'image',
    source: { kind: 'base64', mediaType, data },
    at: 'p',
  });
  const document = (source: Extract<Part, { type: 'document' }>['source'], title?: string): Part => ({
    type: 'document',
    source,
    title,
    at: 'p',
  });

  test('a picture s type is what its bytes say', () => {
    expect(writePart(image('image/jpeg', PNG)).source).toEqual({ type: 'base64', media_type: 'image/png', data: PNG });
    expect(writePart(image('image/webp', 'AAAA')).source.media_type).toBe('image/webp');
  });

  test('other pictures are refused by their place', () => {
    const svg = Buffer.from('<svg xmlns="x"/>').toString('base64');
    expect(refusedParam(() => writePart(image('image/png', svg)))).toBe('p');
    expect(refusedParam(() => writePart(image('image/bmp', 'AAAA')))).toBe('p');
  });

  test('documents are PDF, text or an address; others are refused', () => {
    const pdf = Buffer.from('%PDF-1.7').toString('base64');
    expect(writePart(document({ kind: 'base64', mediaType: 'application/octet-stream', data: pdf }, 'a.pdf'))).toEqual({
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: pdf },
      title: 'a.pdf',
    });
    const plain = { type: 'text', media_type: 'text/plain', data: 'hé' };
    expect(writePart(document({ kind: 'text', text: 'hé' })).source).toEqual(plain);
    const data = Buffer.from('hé').toString('base64');
    expect(writePart(document({ kind: 'base64', mediaType: 'text/markdown', data })).source).toEqual(plain);
    expect(writePart(document({ kind: 'url', url: 'https://x/a.pdf' })).source.type).toBe('url');
    const docx = { kind: 'base64', mediaType: 'application/vnd.docx', data: 'AAAA' } as const;
    expect(refusedParam(() => writePart(document(docx)))).toBe('p');
  });

  test('audio, unknown parts, and media of an assistant are refused', () => {
    expect(refusedParam(() => writePart({ type: 'audio', format: 'wav', data: 'AAAA', at: 'p' }))).toBe('p');
    expect(refusedParam(() => writePart({ type: 'other', kind: 'video', at: 'p' }))).toBe('p');
    expect(
      refusedParam(() => write({ turns: [userTurn('a'), turnOf('assistant', image('image/png', PNG))] }, OLD)),
    ).toBe('p');
  });
});

describe('cache marks', () => {
  const marked = (ttl: '5m' | '1h') => textPart('x', { cache: { ttl } });
  const marks = (value: unknown): unknown[] =>
    [...JSON.stringify(value).matchAll(/"cache_control":({[^}]*})/g)].map(([, mark]) => JSON.parse(mark ?? ''));
  const SHORT = { type: 'ephemeral' };
  const LONG = { type: 'ephemeral', ttl: '1h' };

  test('at most four, the last ones', () => {
    const body = write({
      tools: [toolOf('look', { cache: { ttl: '1h' } })],
      system: [marked('1h')],
      turns: [userTurn(marked('1h'), marked('1h'), marked('1h'), marked('1h'))],
    });
    expect(marks(body.tools)).toEqual([]);
    expect(marks(body.system)).toEqual([]);
    expect(marks(body.messages)).toEqual([LONG, LONG, LONG, LONG]);
  });

  test('no long one after a short one', () => {
    const body = write({
      tools: [toolOf('look', { cache: { ttl: '1h' } })],
      system: [marked('5m')],
      turns: [userTurn(marked('1h'))],
    });
    expect([marks(body.tools), marks(body.system), marks(body.messages)]).toEqual([[LONG], [SHORT], [SHORT]]);
  });

  test('a mark inside a result is the result s', () => {
    const result: Part = { type: 'tool_result', callId: '1', content: [marked('5m')], isError: false, at: 'r' };
    const { messages } = write({ turns: [userTurn('a'), turnOf('assistant', callPart('1')), userTurn(result)] });
    expect(messages[2].content[0].cache_control).toEqual(SHORT);
    expect(messages[2].content[0].content).toBe('x');
  });

  describe('of a client that wants caching without saying where', () => {
    const caching = { mark: { ttl: '5m' }, besideOwn: true } as const;
    const tools = [toolOf('look')];
    const talk = [userTurn('a'), turnOf('assistant', textPart('b')), userTurn('c')];

    test('an added one before a long one of the client is long too, and one after it is not', () => {
      const body = write({ caching, tools, system: [marked('1h')], turns: talk });
      expect([marks(body.tools), marks(body.system), marks(body.messages)]).toEqual([[LONG], [LONG], [SHORT, SHORT]]);
    });

    test('an added one after a short one of the client is short', () => {
      const body = write({ caching: { ...caching, mark: { ttl: '1h' } }, tools, system: [marked('5m')], turns: talk });
      expect([marks(body.tools), marks(body.system), marks(body.messages)]).toEqual([[LONG], [SHORT], [SHORT, SHORT]]);
    });

    test('none beside one of the client, if it only named its conversation', () => {
      const body = write({ caching: { ...caching, besideOwn: false }, tools, system: [marked('1h')], turns: talk });
      expect([marks(body.tools), marks(body.system), marks(body.messages)]).toEqual([[], [LONG], []]);
    });

    test('none beside four of the client', () => {
      const turns = [userTurn(marked('5m'), marked('5m'), marked('5m'), marked('5m'), 'end')];
      const body = write({ caching, tools, turns });
      expect([marks(body.tools), marks(body.messages)]).toEqual([[], [SHORT, SHORT, SHORT, SHORT]]);
      expect(body.messages[0].content[4].cache_control).toBeUndefined();
    });

    test('words of the system that stand last are not marked, the user s before them are', () => {
      const turns = [userTurn('a'), turnOf('system', textPart('Be short.'))];
      const { messages } = write({ caching, turns });
      expect(messages.map(({ role, content }: Answer) => [role, marks(content)])).toEqual([
        ['user', [SHORT]],
        ['system', []],
      ]);
    });
  });
});
