// The environment, read once: what each variable means, what it is without, and every fault at once.
import { describe, expect, test } from 'bun:test';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { readSettings, runtimeEnvironment, SettingsRefused } from '../../../src/server/settings/settings.ts';

function faultsOf(environment: Record<string, string>, platform?: NodeJS.Platform): readonly string[] {
  try {
    readSettings(environment, platform);
    return [];
  } catch (error) {
    if (error instanceof SettingsRefused) return error.faults;
    throw error;
  }
}

test('without any variable', () => {
  expect(readSettings({})).toMatchObject({
    port: 8787,
    host: '127.0.0.1',
    adminPort: undefined,
    adminToken: undefined,
    dataDir: resolve('data'),
    publicUrl: 'http://127.0.0.1:8787',
    siteName: 'AI Gateway',
    trustedProxies: [],
    pepper: undefined,
    providers: {
      openaiApiKey: false,
      anthropicApiKey: false,
      geminiApiKey: false,
      openrouterApiKey: false,
      ollamaBaseUrl: undefined,
    },
  });
});

test('an empty variable is one that is not set', () => {
  const empty = { PORT: '', HOST: ' ', SECRETS_PEPPER: '', OPENAI_API_KEY: '  ', TRUSTED_PROXIES: '', PUBLIC_URL: '' };
  expect(readSettings(empty)).toMatchObject({
    port: 8787,
    host: '127.0.0.1',
    pepper: undefined,
    publicUrl: 'http://127.0.0.1:8787',
    providers: { openaiApiKey: false },
  });
});

describe('PUBLIC_URL', () => {
  test.each([
    [{ HOST: '0.0.0.0', PORT: '80' }, 'http://127.0.0.1:80'],
    [{ HOST: '::' }, 'http://127.0.0.1:8787'],
    [{ HOST: '::1' }, 'http://[::1]:8787'],
    [{ HOST: 'gateway.internal' }, 'http://gateway.internal:8787'],
    [{ PUBLIC_URL: 'https://ai.example.com' }, 'https://ai.example.com'],
    [{ PUBLIC_URL: 'https://example.com/ai/' }, 'https://example.com/ai'],
    [{ PUBLIC_URL: 'http://[::1]:8787/@ai' }, 'http://[::1]:8787/@ai'],
  ])('%j gives %s', (environment, url) => expect(readSettings(environment).publicUrl).toBe(url));
});

test.each(['localhost', 'gateway', 'my_host.internal.', '0.0.0.0', '::', '[::1]', 'fe80::1', '::ffff:10.0.0.1'])(
  'HOST may be %s',
  (host) => expect(readSettings({ HOST: host }).host).toBe(host),
);

test.each(['mailto:a@example.com?subject=x&cc=d@example.com', 'mailto:a@b.example,c@d.example', 'HTTPS://X.example'])(
  'SUPPORT_CONTACT may be %s',
  (contact) => expect(readSettings({ SUPPORT_CONTACT: contact }).supportContact).toBe(contact),
);

test.each(['https://example.tw/terms/', 'HTTP://example.tw/?page=terms#top'])('TERMS_URL may be %s', (url) =>
  expect(readSettings({ TERMS_URL: url, PRIVACY_URL: url })).toMatchObject({ termsUrl: url, privacyUrl: url }),
);

describe('what is refused', () => {
  test.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['PORT', '0x50'],
    ['PUBLIC_URL', 'example.com'],
    ['PUBLIC_URL', 'ftp://example.com'],
    ['PUBLIC_URL', 'https://example.com?x=1'],
    ['PUBLIC_URL', 'https://example.com/ai?'],
    ['PUBLIC_URL', 'https://example.com/ai#top'],
    ['PUBLIC_URL', 'https://user@example.com'],
    ['PUBLIC_URL', 'https://user:secret@example.com/ai'],
    ['OLLAMA_BASE_URL', '127.0.0.1:11434'],
    ['OLLAMA_BASE_URL', 'http://user:secret@127.0.0.1:11434'],
    ['ALARM_WEBHOOK_URL', 'not a url'],
    ['ALARM_WEBHOOK_SECRET', 'whsec_c2hvcnQ='],
    ['ALARM_WEBHOOK_SECRET', 'a secret of my own, long enough'],
    ['ALLOW_PRIVATE_WEBHOOKS', 'yes'],
    ['SECURITY_CONTACT', 'security@example.com'],
    ['SUPPORT_CONTACT', 'help@example.com'],
    ['SUPPORT_CONTACT', 'javascript:alert(1)'],
    ['SUPPORT_CONTACT', 'mailto:help'],
    ['SUPPORT_CONTACT', 'mailto:help@example.com?subject=a b'],
    ['SUPPORT_CONTACT', 'https:example.com'],
    ['TERMS_URL', 'example.tw/terms'],
    ['TERMS_URL', 'javascript:alert(1)'],
    ['PRIVACY_URL', 'mailto:privacy@example.tw'],
    ['PRIVACY_URL', 'https://example.tw/a b'],
    ['TRUSTED_PROXIES', 'localhost'],
    ['TRUSTED_PROXIES', '10.0.0.0/8,10.0.0.0/33'],
    ['GATEWAY_CONFIG', 'no-such-file.yaml'],
    ['SECRETS_PEPPER', 'fifteen-letters'],
    ['ADMIN_PORT', '65536'],
    ['ADMIN_PORT', 'any'],
    ['ADMIN_PORT', '8787'],
    ['HOST', 'bad host'],
    ['HOST', 'http://127.0.0.1'],
    ['HOST', '127.0.0.1:8787'],
    ['HOST', '127.0.0.256'],
    ['HOST', '::g'],
    ['HOST', '[::1'],
    ['HOST', '::1%lo'],
    ['HOST', '[fe80::1%eth0]'],
    ['HOST', '*'],
    ['HOST', '-gateway.internal'],
    ['HOST', `${'a'.repeat(64)}.internal`],
    ['ADMIN_TOKEN', 'fifteen-letters'],
    ['PROCESSES', '0'],
    ['PROCESSES', '-1'],
    ['PROCESSES', '1.5'],
    ['PROCESSES', '257'],
    ['PROCESSES', 'all'],
    ['PROCESS_INDEX', '1'],
    ['PROCESS_INDEX', 'first'],
  ])('%s=%s', (name, value) => {
    const faults = faultsOf({ [name]: value });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toStartWith(name);
  });

  test('all faults are told at once, each in one line', () => {
    const faults = faultsOf({ PORT: 'x', HOST: 'x y', PUBLIC_URL: 'x', SECRETS_PEPPER: 'x', TRUSTED_PROXIES: 'x, y' });
    expect(faults).toHaveLength(6);
    expect(faults.join('')).not.toContain('\n');
  });
});

describe('PROCESSES', () => {
  const shared = { DATABASE_URL: 'postgres://user@localhost/gateway', SECRETS_PEPPER: 'a pepper for every process' };

  test('is one unless said, a number, or one per core', () => {
    expect(readSettings({})).toMatchObject({ processes: 1, processIndex: undefined });
    expect(readSettings({ PROCESSES: '1' }).processes).toBe(1);
    expect(readSettings({ ...shared, PROCESSES: '3' }, 'linux').processes).toBe(3);
    expect(readSettings({ ...shared, PROCESSES: 'auto' }, 'linux').processes).toBe(availableParallelism());
  });

  test('above one needs PostgreSQL, Linux and a port to share', () => {
    const faults = (environment: Record<string, string>, platform: NodeJS.Platform = 'linux') =>
      faultsOf({ PROCESSES: '2', ...environment }, platform);
    expect(faults(shared)).toEqual([]);
    expect(faults({})).toEqual([expect.stringMatching(/^PROCESSES above 1 needs DATABASE_URL: .*or use PostgreSQL$/)]);
    for (const platform of ['darwin', 'win32'] as const) {
      expect(faults(shared, platform)).toEqual([expect.stringContaining('PROCESSES above 1 needs Linux')]);
    }
    expect(faults({ ...shared, PORT: '0' })).toEqual([expect.stringContaining('PORT')]);
    expect(faults({ ...shared, ADMIN_PORT: '65534' })).toEqual([]);
    expect(faults({ ...shared, ADMIN_PORT: '65535' })).toEqual([expect.stringContaining('ADMIN_PORT')]);
    expect(faults({ ...shared, ADMIN_PORT: '8785' })).toEqual([]);
    expect(faults({ ...shared, ADMIN_PORT: '8786' })).toEqual([
      'ADMIN_PORT must be another port than PORT, and so must the 1 above it: each process has a port',
    ]);
  });

  test('one that follows others does not miss the catalog file; nobody else follows', () => {
    const missing = { ...shared, PROCESSES: '2', GATEWAY_CONFIG: '/nowhere/gateway.yaml' };
    const child = { PROCESS_INDEX: '0', PROCESS_FOLLOWS: '1' };
    expect(readSettings({ ...missing, ...child }, 'linux')).toMatchObject({
      follows: true,
      configFile: '/nowhere/gateway.yaml',
    });
    expect(faultsOf({ ...missing, PROCESS_INDEX: '0' }, 'linux')).toHaveLength(1);
    expect(faultsOf({ ...missing, PROCESS_FOLLOWS: '1' }, 'linux')).toHaveLength(1);
  });

  test('each has a port of its own for the operator', () => {
    const adminPort = (environment: Record<string, string>) =>
      readSettings({ ...shared, PROCESSES: '3', ...environment }, 'linux').adminPort;
    expect(adminPort({ ADMIN_PORT: '9000' })).toBe(9000);
    expect(adminPort({ ADMIN_PORT: '9000', PROCESS_INDEX: '0' })).toBe(9000);
    expect(adminPort({ ADMIN_PORT: '9000', PROCESS_INDEX: '2' })).toBe(9002);
    expect(adminPort({ ADMIN_PORT: '0', PROCESS_INDEX: '2' })).toBe(0);
    expect(adminPort({ PROCESS_INDEX: '2' })).toBeUndefined();
  });
});

test('TRUSTED_PROXIES is a list of addresses and networks of both families', () => {
  const { trustedProxies } = readSettings({ TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.1 ,2001:db8::/32,' });
  expect(trustedProxies.map(({ family, prefix }) => [family, prefix])).toEqual([
    [4, 8],
    [4, 32],
    [6, 32],
  ]);
});

test('a variable named by the catalog is read by name, trimmed', () => {
  const { variable } = readSettings({ UPSTREAM_KEY: ' sk-fake-upstream \n' });
  expect(variable('UPSTREAM_KEY')).toBe('sk-fake-upstream');
  expect(variable('OTHER_KEY')).toBeUndefined();
});

test('a key of this service, exported for its clients, is no provider’s key', () => {
  const { providers } = readSettings({ OPENAI_API_KEY: 'sk-svc-not-a-provider', ANTHROPIC_API_KEY: 'sk-ant-fake' });
  expect(providers).toMatchObject({ openaiApiKey: false, anthropicApiKey: true });
});

describe('what Bun reads when a process starts', () => {
  const LOOPBACK = 'localhost,127.0.0.1,::1';
  test.each([
    [{}, LOOPBACK],
    [{ NO_PROXY: 'a.example' }, `a.example,${LOOPBACK}`],
    [{ no_proxy: 'b.example' }, `b.example,${LOOPBACK}`],
  ])('is added to %j', (environment, hosts) => {
    const added = {
      BUN_CONFIG_MAX_HTTP_REQUESTS: '65535',
      BUN_JSC_forceCodeBlockLiveness: '1',
      NO_PROXY: hosts,
      no_proxy: hosts,
    };
    expect(runtimeEnvironment({ ...environment, OTHER: 'x' })).toEqual({ ...environment, OTHER: 'x', ...added });
  });

  test('is left as it is where somebody has set it, so that a process begins anew once at most', () => {
    expect(runtimeEnvironment({ BUN_CONFIG_MAX_HTTP_REQUESTS: '10' })).toBeUndefined();
    expect(runtimeEnvironment(runtimeEnvironment({}))).toBeUndefined();
  });
});
