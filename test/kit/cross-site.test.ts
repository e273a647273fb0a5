import { expect, test } from 'bun:test';
import { isCrossSite } from '../../src/kit/cross-site.ts';

const OURS = 'https://gateway.example';

test.each<[what: string, headers: Record<string, string>, expected: boolean]>([
  ['a program', { host: 'anything.example' }, false],
  ['our own page', { host: 'gateway.example', 'sec-fetch-site': 'same-origin' }, false],
  ['an address that was typed', { host: 'gateway.example', 'sec-fetch-site': 'none' }, false],
  [
    'our own page, by a proxy that names the port',
    { host: 'Gateway.example:443', 'sec-fetch-site': 'same-origin' },
    false,
  ],
  ['our own page, by another port', { host: 'gateway.example:8443', 'sec-fetch-site': 'same-origin' }, true],
  ['a host that is no name', { host: 'a b[', 'sec-fetch-site': 'same-origin' }, true],
  ['a page of another site', { host: 'gateway.example', 'sec-fetch-site': 'cross-site' }, true],
  ['a page of a sister site', { host: 'gateway.example', 'sec-fetch-site': 'same-site' }, true],
  ['our own page, in an old browser', { host: 'gateway.example', origin: OURS }, false],
  ['another page, in an old browser', { host: 'gateway.example', origin: 'https://evil.example' }, true],
  ['a page without a name', { host: 'gateway.example', origin: 'null' }, true],
  ['a name that was made to lead to us', { host: 'evil.example', 'sec-fetch-site': 'same-origin' }, true],
  ['the same, in an old browser', { host: 'evil.example', origin: 'http://evil.example' }, true],
  ['loopback by its number', { host: '127.0.0.1:8787', 'sec-fetch-site': 'same-origin' }, false],
  ['loopback by its name', { host: 'localhost:8787', origin: 'http://localhost:8787' }, false],
  ['a name that begins like loopback', { host: 'localhost.evil.example', 'sec-fetch-site': 'same-origin' }, true],
])('%s', (_, headers, expected) => {
  expect(isCrossSite(new Headers(headers), OURS)).toBe(expected);
});
