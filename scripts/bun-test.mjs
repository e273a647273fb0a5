// Starts `bun test` in an environment that the developer's shell cannot alter.
import { runBun } from './bun.mjs';

/** For what hangs; a slow machine must not come near it. */
const TEST_TIMEOUT_MS = 120_000;

const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'];

const FROM_THE_SHELL = [
  ...PROXIES,
  ...PROXIES.map((name) => name.toLowerCase()),
  // provider access
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'GEMINI_API_KEY',
  'OPENROUTER_API_KEY',
  'OLLAMA_BASE_URL',
  // the gateway's own settings
  'PORT',
  'HOST',
  'ADMIN_PORT',
  'PROCESSES',
  'PROCESS_FOLLOWS',
  'PROCESS_INDEX',
  'ADMIN_TOKEN',
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
  // `bun test` sets these two itself, but only where they are not set
  'NODE_ENV',
  'TZ',
];

/** LANG and LC_ALL may name a locale that this machine does not have: PostgreSQL then refuses to make a database. */
const LOCALE = /^(LANG|LANGUAGE|LC_\w+)$/;

/** Answers the exit code. */
export function bunTest(args) {
  const env = { ...process.env };
  for (const name of Object.keys(env)) {
    if (FROM_THE_SHELL.includes(name) || LOCALE.test(name)) delete env[name];
  }
  return runBun(['--no-env-file', 'test', `--timeout=${TEST_TIMEOUT_MS}`, ...args], env);
}
