// What the gateway itself refuses at the console is told in the operator's language, with what helps an operator.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { consoleWords } from '../../../src/admin/console/words/words.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { clientOf } from './operator-client.ts';

/** 「模型」 as a spreadsheet of Taiwan may save it. */
const BIG5 = new Uint8Array([0xbc, 0xd2, 0xab, 0xac]);
const MIB = 1024 * 1024;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

describe.each(['en', 'zh-TW'] as const)('in %s', (language) => {
  const { faults, forms } = consoleWords(language);

  async function send(path: string, body: BodyInit, headers: Readonly<Record<string, string>> = {}) {
    const { cookies } = await clientOf(gateway, language);
    const response = await fetch(gateway.gateway.adminUrl + path, {
      method: 'POST',
      body,
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'accept-language': language,
        origin: gateway.gateway.adminUrl,
        ...headers,
      },
    });
    return { status: response.status, html: await response.text() };
  }

  function upload(path: string, file: BlobPart) {
    const form = new FormData();
    form.set('file', new Blob([file]), 'prices.csv');
    return send(path, form);
  }

  test.each(['/models/import', '/ledger/reconcile'])(
    'a file that is not UTF-8 is refused at %s with how to save it',
    async (path) => {
      const { status, html } = await upload(path, BIG5);
      expect([status, html.includes(`<p>${forms.fileNotUtf8}</p>`)]).toEqual([400, true]);
    },
  );

  const FIELDS = 'application/x-www-form-urlencoded';
  test.each<[problem: keyof typeof forms, body: BodyInit, headers: Record<string, string>]>([
    ['compressed', Bun.gzipSync('reason=sorry'), { 'content-type': FIELDS, 'content-encoding': 'gzip' }],
    ['compressed', Bun.gzipSync(BIG5), { 'content-type': 'multipart/form-data; boundary=x', 'content-encoding': 'br' }],
    ['notUtf8', BIG5, { 'content-type': FIELDS }],
    ['broken', 'reason=sorry', { 'content-type': 'multipart/form-data' }],
    [
      'broken',
      '--x\r\ncontent-disposition: form-data; name="file"',
      { 'content-type': 'multipart/form-data; boundary=x' },
    ],
  ])('a form that cannot be read is told why: %s', async (problem, body, headers) => {
    const { status, html } = await send('/models/import', body, headers);
    expect([status, html.includes(`<p>${forms[problem]}</p>`)]).toEqual([400, true]);
  });

  test('a file that is too large is told as such', async () => {
    const { status, html } = await upload('/models/import', new Uint8Array(4 * MIB + 1));
    expect([status, html.includes(`<p>${faults.request_too_large}</p>`)]).toEqual([413, true]);
  });
});
