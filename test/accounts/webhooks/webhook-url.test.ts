// Which URLs a webhook may have, before any name is looked up.

import { describe, expect, test } from 'bun:test';
import { refuseUrl } from '../../../src/accounts/webhooks/webhook-shapes.ts';

const publicOnly = { allowsPrivate: false };

test.each([
  'https://example.com/hooks',
  'https://example.com:8443/a?token=b',
  'https://8.8.8.8/',
  'https://[2606:4700::1111]/',
])('%s is taken', (url) => expect(refuseUrl(url, publicOnly)).toBeUndefined());

describe('what is refused', () => {
  test.each([
    ['http://example.com/', 'an https URL'],
    ['ftp://example.com/', 'an https URL'],
    ['example.com', 'an https URL'],
    ['https://', 'an https URL'],
    ['', 'an https URL'],
    ['https://user@example.com/', 'no user name'],
    ['https://:word@example.com/', 'no user name'],
    ['https://example.com/#top', 'no fragment'],
    ['https://localhost/', 'public internet'],
    ['https://LOCALHOST./', 'public internet'],
    ['https://app.localhost/', 'public internet'],
    ['https://printer.local/', 'public internet'],
    ['https://metadata.google.internal/', 'public internet'],
    ['https://gateway/', 'public internet'],
    ['https://127.0.0.1/', 'public internet'],
    ['https://127.1/', 'public internet'],
    ['https://2130706433/', 'public internet'],
    ['https://0x7f.0.0.1/', 'public internet'],
    ['https://0.0.0.0/', 'public internet'],
    ['https://10.0.0.1/', 'public internet'],
    ['https://172.16.0.1/', 'public internet'],
    ['https://192.168.1.1/', 'public internet'],
    ['https://100.64.0.1/', 'public internet'],
    ['https://169.254.169.254/', 'public internet'],
    ['https://[::1]/', 'public internet'],
    ['https://[::]/', 'public internet'],
    ['https://[fe80::1]/', 'public internet'],
    ['https://[fd00::1]/', 'public internet'],
    ['https://[ff02::1]/', 'public internet'],
    ['https://[::ffff:10.0.0.1]/', 'public internet'],
    ['https://224.0.0.1/', 'public internet'],
  ])('%s', (url, why) => expect(refuseUrl(url, publicOnly)).toContain(why));
});

test('a URL that is too long', () => {
  expect(refuseUrl(`https://example.com/${'a'.repeat(2_048)}`, publicOnly)).toContain('at most 2048 characters');
});

test('private addresses and http only where the operator allows them', () => {
  const anywhere = { allowsPrivate: true };
  expect(refuseUrl('http://127.0.0.1:9000/hooks', anywhere)).toBeUndefined();
  expect(refuseUrl('https://gateway.internal/', anywhere)).toBeUndefined();
  expect(refuseUrl('file:///etc/passwd', anywhere)).toContain('an http or https URL');
  expect(refuseUrl('http://user@127.0.0.1/', anywhere)).toContain('no user name');
});
