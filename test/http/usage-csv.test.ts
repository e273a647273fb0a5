// GET /api/usage?format=csv: for spreadsheets, which read a byte-order mark and run what looks like a formula.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';

const RECORDS = 5;
let gateway: TestGateway;
let account: TestAccount;

beforeAll(async () => {
  gateway = await startTestGateway();
  account = await gateway.register();
  for (let i = 0; i < RECORDS; i++) await gateway.chat(account.key, { model: 'demo-small', max_tokens: 4 });
});
afterAll(() => gateway.stop());

async function csv(query = ''): Promise<{ response: Response; bytes: Uint8Array; rows: string[][] }> {
  const response = await gateway.call(`/api/usage?format=csv${query}`, { key: account.key });
  const bytes = await response.bytes();
  const lines = new TextDecoder().decode(bytes).split('\r\n');
  expect(lines.pop()).toBe('');
  return { response, bytes, rows: lines.map((line) => line.split(',')) };
}

test('is UTF-8 with a byte-order mark, to be saved as a file', async () => {
  const { response, bytes } = await csv();
  expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(response.headers.get('content-disposition')).toContain('usage.csv');
});

test('has every field of a record as a column and every record as a row', async () => {
  const { rows } = await csv();
  const { data } = await gateway.get('/api/usage', account.key);
  const [columns, ...records] = rows;
  expect(columns?.toSorted()).toEqual(Object.keys(data[0]).toSorted());
  expect(records).toEqual(
    data.map((record: Answer) => columns?.map((name) => (record[name] === null ? '' : String(record[name])))),
  );
});

test('has its columns in the order in which programs know them', async () => {
  const { rows } = await csv();
  expect(rows[0]?.join()).toBe(
    'request_id,at,key_id,model,channel,endpoint,status,stream,input_tokens,cached_input_tokens,cache_write_5m_tokens,' +
      'cache_write_1h_tokens,output_tokens,reasoning_tokens,images,first_token_ms,total_ms,cost_ntd,cost_nano,' +
      'balance_after_ntd,balance_after_nano,estimated,revision,seconds,characters,searches',
  );
});

test('has all records, not one page of them, and obeys filters', async () => {
  expect((await csv('&limit=2')).rows).toHaveLength(1 + RECORDS);
  expect((await csv('&model=none')).rows).toHaveLength(1);
});

test('no cell can run as a formula or break out of its cell', async () => {
  const [first] = gateway.sql<{ request_id: string }>('SELECT request_id FROM usage_records LIMIT 1');
  const hostile = ['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '＝1', 'a"b,c\nd'];
  const written: string[] = [];
  for (const channel of hostile) {
    gateway.sql('UPDATE usage_records SET channel = ? WHERE request_id = ?', channel, first?.request_id ?? '');
    const response = await gateway.call('/api/usage?format=csv', { key: account.key });
    const row = (await response.text()).split(`${first?.request_id},`)[1] ?? '';
    written.push(row.split('demo-small,')[1]?.split(',/v1/chat')[0] ?? '');
  }
  expect(written).toEqual(["'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\tx", '"\'\rx"', "'＝1", '"a""b,c\nd"']);
});
