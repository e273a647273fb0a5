// Starts `bun test` in an environment that does not depend on the developer's shell.
import { runBun } from './bun.mjs';

/** For tests that hang; high enough that a slow machine does not reach it. */
const TEST_TIMEOUT_MS = 120_000;

const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'];

const FROM_THE_SHELL = [
  ...PROXIES,
  ...PROXIES.map((name) => name.toLowerCase()),
  // the gateway's own settings
  'PORT',
  'HOST',
  'ADMIN_PORT',
  'PROCESSES',
  'PROCESS_FOLLOWS',
  'PROCESS_INDEX',
  'ADMIN_TOKEN',
  'DRAIN_SECONDS',
  'DRAIN_NOTICE_SECONDS',
  'DATA_DIR',
  'DATABASE_URL',
  'GATEWAY_CONFIG',
  'PUBLIC_URL',
  'SITE_NAME',
  'SECURITY_CONTACT',
  'SUPPORT_CONTACT',
  'TERMS_URL',
  'PRIVACY_URL',
  'TRUSTED_PROXIES',
  'SECRETS_PEPPER',
  'ALARM_WEBHOOK_URL',
  'ALARM_WEBHOOK_SECRET',
  'ALLOW_PRIVATE_WEBHOOKS',
  'TORTURE_KILL',
  // Bun's driver reads these, and those that begin with PG, in addition to the URL
  'POSTGRES_URL',
  'TLS_DATABASE_URL',
  'TLS_POSTGRES_DATABASE_URL',
  // `bun test` sets these two itself, but only if they are not set
  'NODE_ENV',
  'TZ',
];

const FAMILIES_FROM_THE_SHELL = [
  // The machine may lack this locale: PostgreSQL then refuses to create a database.
  /^(LANG$|LANGUAGE$|LC_)/,
  /^PG/,
  // Access to providers, and what their SDKs add to every call: keys, addresses, headers and traces.
  /^(OPENAI|ANTHROPIC|GEMINI|OPENROUTER|OLLAMA|LANGCHAIN|LANGSMITH)_/,
];

const isFromTheShell = (name) =>
  FROM_THE_SHELL.includes(name) || FAMILIES_FROM_THE_SHELL.some((family) => family.test(name));

/** Returns the exit code. */
export function bunTest(args, variables = {}) {
  const kept = Object.fromEntries(Object.entries(process.env).filter(([name]) => !isFromTheShell(name)));
  return runBun(['--no-env-file', 'test', `--timeout=${TEST_TIMEOUT_MS}`, ...args], { ...kept, ...variables });
}
