// Who a client is, whatever X-Forwarded-For says: only what a trusted proxy wrote counts, read from the right.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { clientSubject } from '../../src/http/client-address.ts';
import { type Network, parseNetwork } from '../../src/kit/address.ts';
import { sendRaw } from '../security/raw-bytes.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { rawCall } from '../support/raw-call.ts';

const networks = (...texts: string[]) => texts.map((text) => parseNetwork(text) as Network);
const PROXIES = networks('10.0.0.0/8', '2001:db8:ffff::/48', '192.0.2.1');
const PROXY = '10.1.2.3';
const from = (forwardedFor: string | null, peer = PROXY, trusted = PROXIES) =>
  clientSubject(peer, forwardedFor, trusted);
/** What an address counts as when it is the peer itself. */
const as = (address: string) => clientSubject(address, null, []);

describe('without trust', () => {
  test.each(['203.0.113.9', '10.1.2.3', 'garbage', '', ','])('X-Forwarded-For %p changes nothing', (header) => {
    expect(from(header, '198.51.100.1')).toBe(as('198.51.100.1'));
    expect(from(header, PROXY, [])).toBe(as(PROXY));
  });

  test('nobody is everybody: a call without a socket has one subject, whatever it says', () => {
    const nobody = clientSubject(undefined, null, PROXIES);
    expect(clientSubject(undefined, '203.0.113.9', PROXIES)).toBe(nobody);
    expect(from('203.0.113.9', 'no address')).toBe(nobody);
  });
});

describe('behind a trusted proxy', () => {
  const spelt: [header: string, client: string][] = [
    ['203.0.113.7', '203.0.113.7'],
    ['  203.0.113.7\t', '203.0.113.7'],
    // A client may write what it likes to the left of what the proxy adds.
    ['198.51.100.1, 203.0.113.7', '203.0.113.7'],
    ['10.9.9.9, 203.0.113.7', '203.0.113.7'],
    ['127.0.0.1,203.0.113.7,10.0.0.1', '203.0.113.7'],
    ['"><script>, 203.0.113.7', '203.0.113.7'],
    [', , 203.0.113.7', '203.0.113.7'],
    // Ports and brackets, as some proxies write them.
    ['203.0.113.7:49152', '203.0.113.7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['[2001:db8::7]:443', '2001:db8::7'],
    ['203.0.113.7:1, 10.0.0.1:2, [2001:db8:ffff::1]:3', '203.0.113.7'],
    // One client, one spelling.
    ['2001:DB8:0:0:0:0:0:7', '2001:db8::7'],
    ['2001:db8::7%eth0', '2001:db8::7'],
    ['fe80::1%25en0', 'fe80::1'],
    ['[fe80::1%en0]:80', 'fe80::1'],
    ['2001:db8:0:0:ffff:ffff:ffff:ffff', '2001:db8::7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['[::ffff:203.0.113.7]:80', '203.0.113.7'],
    ['0:0:0:0:0:FFFF:203.0.113.7', '203.0.113.7'],
    // A mapped proxy is the proxy.
    ['203.0.113.7, ::ffff:10.0.0.1', '203.0.113.7'],
  ];
  test.each(spelt)('%p is %s', (header, client) => {
    expect(from(header)).toBe(as(client));
    expect(from(header, `::ffff:${PROXY}`)).toBe(as(client));
  });

  const broken = [
    '',
    ',',
    '203.0.113.7,',
    '203.0.113.7, ,',
    'unknown',
    '_hidden',
    '203.0.113',
    '203.0.113.7.1',
    '203.0.113.256',
    '0203.0.113.7',
    '0xcb007107',
    '3405803783',
    '203.0.113.7:port',
    '203.0.113.7:123456',
    '203.0.113.7:',
    '2001:db8::7:443:1:1:1:1:1',
    '[2001:db8::7',
    '2001:db8::7]',
    '[203.0.113.7]x',
    '[]',
    '[]:80',
    '::ffff:203.0.113.7:80',
    '203.0.113.7/24',
    'for=203.0.113.7',
    '203.0.113.7;10.0.0.1',
    '203.0.113.7 10.0.0.1',
    '203.0.113.7\u00a0x',
    '２０３.0.113.7',
  ];
  test.each(broken)('%p at the end is nobody’s word: the proxy itself counts', (header) => {
    expect(from(header)).toBe(as(PROXY));
    expect(from(`198.51.100.1, ${header}`)).toBe(as(PROXY));
  });

  test('what is broken further left ends the chain at the last good hop', () => {
    expect(from('198.51.100.1, garbage, 10.0.0.7')).toBe(as('10.0.0.7'));
    expect(from('198.51.100.1, , 10.0.0.7, 10.0.0.8')).toBe(as('10.0.0.7'));
  });

  test('a chain of nothing but proxies ends at its left-most', () => {
    expect(from('10.0.0.5, 10.0.0.6, 192.0.2.1')).toBe(as('10.0.0.5'));
  });

  test('neighbours of the mapped range are IPv6, by their /64', () => {
    expect(from('::1.2.3.4')).not.toBe(as('1.2.3.4'));
    expect(from('::fffe:1.2.3.4')).not.toBe(as('1.2.3.4'));
    expect(from('64:ff9b::1.2.3.4')).toBe(as('64:ff9b::'));
  });

  test('10,000 hops: of strangers the last one counts, of proxies all are walked', () => {
    expect(from(`${'198.51.100.1,'.repeat(10_000)}203.0.113.7`)).toBe(as('203.0.113.7'));
    expect(from(`203.0.113.7${',10.0.0.1'.repeat(10_000)}`)).toBe(as('203.0.113.7'));
    expect(from(','.repeat(10_000))).toBe(as(PROXY));
    const many = networks(...Array.from({ length: 500 }, (_, n) => `172.16.${n % 256}.${Math.floor(n / 256)}`));
    expect(from(`203.0.113.7${',172.16.200.1'.repeat(1_000)}`, '172.16.3.0', many)).toBe(as('203.0.113.7'));
  });
});

describe('over a socket', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ env: { TRUSTED_PROXIES: '127.0.0.1' }, limits: { register_per_ip: 1 } });
  });
  afterAll(() => gateway.stop());
  const register = (...lines: string[]) =>
    rawCall(
      gateway.port,
      `${[
        'POST /api/agent/register HTTP/1.1',
        'host: x',
        'content-length: 2',
        ...lines.map((line) => `x-forwarded-for: ${line}`),
      ].join('\r\n')}\r\n\r\n{}`,
    );

  test('several header lines are one list, in their order', async () => {
    expect((await register('203.0.113.1', '203.0.113.2')).status).toBe(201);
    expect((await register('203.0.113.1')).status).toBe(201);
    expect((await register('203.0.113.9', '203.0.113.2')).status).toBe(429);
    expect((await register('203.0.113.9, 203.0.113.8', '', '203.0.113.2:99')).status).toBe(429);
  });

  describe('hops without end', () => {
    const hop = '1.1.1.1,';
    /** One that has not registered yet. */
    const addressFor = (hops: number) => `203.0.113.${100 + Math.log10(hops)}`;

    test.each([1, 100, 1_000])('%p are walked, and the last one counts', async (hops) => {
      const line = hop.repeat(hops) + addressFor(hops);
      expect((await register(line)).status).toBe(201);
      expect((await register(line)).status).toBe(429);
    });

    test.each([10_000, 100_000])('%p are refused by the size of the headers', async (hops) => {
      const head = `POST /api/agent/register HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\nx-forwarded-for: `;
      const line = hop.repeat(hops) + addressFor(hops);
      const { statuses, isClosed } = await sendRaw(gateway.port, `${head}${line}\r\n\r\n{}`);
      expect(isClosed).toBe(true);
      // A client that is still sending may lose the answer with the connection.
      expect([[431], []]).toContainEqual(statuses);
      expect((await register(addressFor(hops))).status).toBe(201);
    });
  });
});
