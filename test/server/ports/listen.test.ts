// A port that cannot be opened: one line with the host, the reason and the variable, whatever the machine's resolver says.
import { describe, expect, test } from 'bun:test';
import { describeListenFailure, listen } from '../../../src/server/ports/listen.ts';
import { StartRefused } from '../../../src/server/start/start-refused.ts';

const NO_SUCH_ADDRESS = 'this machine does not have that address; set HOST to one that it has, or to 0.0.0.0';

const unresolved = (code: string) =>
  `the name has no address on this machine (${code}); set HOST to an address that it has, or to 0.0.0.0`;

describe('the line', () => {
  const lineOf = (host: string, code: string | undefined, variable: 'PORT' | 'ADMIN_PORT' = 'PORT') =>
    describeListenFailure({ host, port: 9137, variable }, code);

  // Resolvers that deny, refuse, do not answer, rewrite, or are not there.
  test.each(['EADDRNOTAVAIL', 'ENOENT', 'EINVAL', 'EAGAIN', 'ECONNREFUSED', 'ETIMEDOUT', 'ENOTFOUND'])(
    'a name, with %s from the resolver',
    (code) => {
      expect(lineOf('gateway.example', code)).toBe(`cannot listen on gateway.example:9137: ${unresolved(code)}`);
    },
  );

  test('a name, without a code', () => {
    expect(lineOf('gateway.example', undefined)).toBe(
      `cannot listen on gateway.example:9137: ${unresolved('unknown error')}`,
    );
  });

  test.each([
    ['192.0.2.1', '192.0.2.1', 'EADDRNOTAVAIL'],
    ['2001:db8::1', '[2001:db8::1]', 'EADDRNOTAVAIL'],
    ['[2001:db8::1]', '[2001:db8::1]', 'EADDRNOTAVAIL'],
    ['::', '[::]', 'EAFNOSUPPORT'],
  ])('the address %s', (host, shown, code) => {
    expect(lineOf(host, code)).toBe(`cannot listen on ${shown}:9137: ${NO_SUCH_ADDRESS}`);
  });

  test.each([
    ['fe80::1', 'EINVAL', 'the address cannot be used (EINVAL); set HOST to another one, or to 0.0.0.0'],
    ['127.0.0.1', 'EADDRINUSE', 'the port is in use; set PORT to another one'],
    ['127.0.0.1', 'EACCES', 'no permission for this port; set PORT to 1024 or above'],
    ['127.0.0.1', 'EMFILE', 'EMFILE; the address is set by HOST and the port by PORT'],
    ['gateway.example', 'EADDRINUSE', 'the port is in use; set PORT to another one'],
    ['gateway.example', 'EMFILE', 'EMFILE; the address is set by HOST and the port by PORT'],
  ])('%s with %s', (host, code, end) => {
    expect(lineOf(host, code)).toEndWith(`: ${end}`);
  });

  test.each([
    ['EADDRINUSE', 'the port is in use; set ADMIN_PORT to another one'],
    ['EACCES', 'no permission for this port; set ADMIN_PORT to 1024 or above'],
    ['EADDRNOTAVAIL', 'EADDRNOTAVAIL; the port is set by ADMIN_PORT'],
  ])("the operator's port, with %s: HOST does not set its address", (code, end) => {
    expect(lineOf('127.0.0.1', code, 'ADMIN_PORT')).toBe(`cannot listen on 127.0.0.1:9137: ${end}`);
  });
});

// A label above 63 characters is in no DNS query, so the answer is the same with every resolver and with none.
test('a name that does not resolve refuses the start', () => {
  const host = `${'a'.repeat(64)}.example`;
  const start = () => listen({ host, port: 0, variable: 'PORT', respond: () => new Response() });
  expect(start).toThrow(StartRefused);
  expect(start).toThrow(`cannot listen on ${host}:0: the name has no address on this machine (`);
});
