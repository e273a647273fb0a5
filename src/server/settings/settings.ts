// The environment, read and checked once. No other file reads it.

import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { type Network, parseAddress, parseNetwork } from '../../kit/address.ts';
import { fileProblem } from '../../kit/error-code.ts';
import { type KillOrder, parseKillOrder } from '../../kit/failpoint.ts';
import { isOwnKey } from '../../kit/own-key.ts';
import { isWebhookSecret } from '../../kit/webhook-signature.ts';
import { readDatabaseUrls } from '../../store/database-url.ts';
import { StartRefused } from '../start/start-refused.ts';

/** What is wrong with a variable is said by its text behind the name, and the value is then undefined. */
type Parse<Value> = (text: string, refuse: (why: string) => undefined) => Value | undefined;
type Environment = Readonly<Record<string, string | undefined>>;

export class SettingsRefused extends Error {
  override name = 'SettingsRefused';
  constructor(readonly faults: readonly string[]) {
    super(faults.join('; '));
  }
}

const MIN_SECRET_CHARS = 16;
const MAX_PROCESSES = 256;
const HIGHEST_PORT = 65_535;
const MAX_DRAIN_SECONDS = 3_600;
const MAX_NOTICE_SECONDS = 300;
const MAX_HOST_CHARS = 253;
const HOST_NAME = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*\.?$/i;
const ONE_PROCESS_ON_SQLITE =
  'PROCESSES above 1 needs DATABASE_URL: the embedded database has one writer, and more processes would only wait for ' +
  'each other; leave PROCESSES unset, or use PostgreSQL';
const PROXY_VARIABLES = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy'];

export type Settings = ReturnType<typeof readSettings>;

export function readSettings(environment: Environment = process.env, platform: NodeJS.Platform = process.platform) {
  const faults: string[] = [];
  const variable = (name: string) => environment[name]?.trim() || undefined;
  const read = <Value>(name: string, parse: Parse<Value>): Value | undefined => {
    const text = variable(name);
    return text === undefined ? undefined : parse(text, (why) => void faults.push(`${name} ${why}`));
  };
  const port = read('PORT', parsePort) ?? 8787;
  const host = read('HOST', parseHost) ?? '127.0.0.1';
  const processes = read('PROCESSES', parseProcesses) ?? 1;
  const processIndex = read('PROCESS_INDEX', (text, refuse) => {
    const why = 'is not for you to set: the server gives it to the processes that it starts';
    return wholeNumber(text, 0, processes - 1) ?? refuse(why);
  });
  const follows = processIndex !== undefined && variable('PROCESS_FOLLOWS') !== undefined;
  const adminPort = read('ADMIN_PORT', adminPortBeside(port, processes, processIndex ?? 0));
  const pepper = read('SECRETS_PEPPER', parseSecret);
  const databaseUrl = read('DATABASE_URL', parseDatabaseUrl);
  if (databaseUrl !== undefined && variable('SECRETS_PEPPER') === undefined) {
    faults.push('SECRETS_PEPPER is required with DATABASE_URL: all nodes must have the same one');
  }
  if (processes > 1) {
    if (platform !== 'linux') faults.push(`PROCESSES above 1 needs Linux: only there do processes share a port evenly`);
    if (variable('DATABASE_URL') === undefined) faults.push(ONE_PROCESS_ON_SQLITE);
    if (port === 0) faults.push('PORT must be a number above 0 with PROCESSES above 1: all of them share it');
  }
  const ownUrl = urlOf(host, port);
  const publicUrl = read('PUBLIC_URL', parsePublicUrl) ?? ownUrl;
  const settings = {
    port,
    host,
    /** Number of processes that share the port. */
    processes,
    /** The index of this process, from 0; undefined: the only one, or the parent. */
    processIndex,
    /** It joins a running service and uses the catalog of the database. */
    follows,
    /** For this process's operator listener; undefined: the default, or any free port. */
    adminPort,
    /** Undefined: the one kept in the data folder. */
    adminToken: read('ADMIN_TOKEN', parseSecret),
    dataDir: resolve(variable('DATA_DIR') ?? './data'),
    /** PostgreSQL; undefined: the embedded database in the data folder. */
    databaseUrl,
    /** The catalog file: set by the operator, or ./gateway.yaml if it exists now. */
    configFile: variable('GATEWAY_CONFIG') ? read('GATEWAY_CONFIG', catalogFile(follows)) : defaultConfigFile(),
    publicUrl,
    /** The URL of the public listener from this machine. */
    ownUrl,
    siteName: variable('SITE_NAME') ?? 'AI Gateway',
    /** Where to report vulnerabilities: a mailto: or https: address for security.txt and the page /security. */
    securityContact: read('SECURITY_CONTACT', parseContact),
    /** Support for customers: a mailto: or https: address that pages link to. */
    supportContact: read('SUPPORT_CONTACT', parseContact),
    /** The operator's pages, linked in the footer. */
    termsUrl: read('TERMS_URL', parsePageUrl),
    privacyUrl: read('PRIVACY_URL', parsePageUrl),
    trustedProxies: read('TRUSTED_PROXIES', parseNetworks) ?? [],
    /** Undefined: the one kept in the data folder. */
    pepper,
    alarmWebhookUrl: read('ALARM_WEBHOOK_URL', parseUrl),
    /** Signs alarms; undefined: they are not signed. */
    alarmWebhookSecret: read('ALARM_WEBHOOK_SECRET', parseWebhookSecret),
    /** Webhooks of customers may go to any address, also in the network of this server, and without TLS. */
    allowsPrivateWebhooks: read('ALLOW_PRIVATE_WEBHOOKS', parseSwitch) ?? false,
    /** The environment sets a proxy for calls to upstreams. */
    hasProxy: PROXY_VARIABLES.some((name) => variable(name) !== undefined),
    providers: {
      openaiApiKey: isProviderKey(variable('OPENAI_API_KEY')),
      anthropicApiKey: isProviderKey(variable('ANTHROPIC_API_KEY')),
      geminiApiKey: isProviderKey(variable('GEMINI_API_KEY')),
      openrouterApiKey: isProviderKey(variable('OPENROUTER_API_KEY')),
      ollamaBaseUrl: read('OLLAMA_BASE_URL', parseOllamaUrl),
    },
    /** How long running calls may take after a signal. */
    drainSeconds: read('DRAIN_SECONDS', secondsUpTo(MAX_DRAIN_SECONDS)) ?? 120,
    /** How long new work is still accepted after a signal, while /readyz is 503. */
    drainNoticeSeconds: read('DRAIN_NOTICE_SECONDS', secondsUpTo(MAX_NOTICE_SECONDS)) ?? 0,
    /** Where a test kills this process. */
    killOrder: read('TORTURE_KILL', parseKill),
    /** For `env:NAME` references in the catalog. */
    variable,
  };
  if (faults.length > 0) throw new SettingsRefused(faults);
  return settings;
}

/**
 * Variables that Bun reads only at process start: the number of concurrent calls to upstreams, which is 256 by default;
 * to keep compiled code, which is otherwise discarded after a minute and compiled again; and the hosts that bypass a
 * proxy. `npm start` sets them beforehand; undefined if they are already set.
 */
export function runtimeEnvironment(environment: Environment = process.env): Environment | undefined {
  if (environment.BUN_CONFIG_MAX_HTTP_REQUESTS !== undefined) return undefined;
  const hosts = [environment.NO_PROXY ?? environment.no_proxy, 'localhost,127.0.0.1,::1'].filter(Boolean).join(',');
  return {
    BUN_JSC_forceCodeBlockLiveness: '1',
    ...environment,
    BUN_CONFIG_MAX_HTTP_REQUESTS: '65535',
    NO_PROXY: hosts,
    no_proxy: hosts,
  };
}

/** The environment of one of several processes. */
export function processEnvironment(index: number, follows: boolean): Environment {
  return { ...process.env, PROCESS_INDEX: String(index), PROCESS_FOLLOWS: follows ? '1' : '' };
}

/** ./gateway.yaml, if it exists now. */
export function defaultConfigFile(): string | undefined {
  const file = resolve('./gateway.yaml');
  return existsSync(file) ? file : undefined;
}

/** Throws StartRefused. */
export function readCatalogFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartRefused(`cannot read ${file}: ${fileProblem(error)}`);
  }
}

/** A process that follows does not read the file, which may be in the middle of a replacement. */
function catalogFile(follows: boolean): Parse<string> {
  return (text, refuse) => {
    const file = resolve(text);
    return follows || existsSync(file) ? file : refuse(`names a file that does not exist: ${file}`);
  };
}

/** A key of this service is exported for its clients; it is not a provider's. */
function isProviderKey(value: string | undefined): boolean {
  return value !== undefined && !isOwnKey(value);
}

function wholeNumber(text: string, least: number, most: number): number | undefined {
  const number = Number(text);
  return /^\d+$/.test(text) && number >= least && number <= most ? number : undefined;
}

function secondsUpTo(most: number): Parse<number> {
  return (text, refuse) => {
    const seconds = text.length <= 4 ? wholeNumber(text, 0, most) : undefined;
    return seconds ?? refuse(`must be a whole number of seconds from 0 to ${most}`);
  };
}

const parsePort: Parse<number> = (text, refuse) =>
  wholeNumber(text, 0, HIGHEST_PORT) ?? refuse('must be a port number');

const parseProcesses: Parse<number> = (text, refuse) => {
  const count = text === 'auto' ? availableParallelism() : wholeNumber(text, 1, MAX_PROCESSES);
  return count ?? refuse(`must be a whole number from 1 to ${MAX_PROCESSES}, or auto`);
};

/** Each process serves its own metrics, on ADMIN_PORT and the ports after it. 0: any free port for each. */
function adminPortBeside(port: number, processes: number, index: number): Parse<number> {
  return (text, refuse) => {
    const first = parsePort(text, refuse);
    if (!first) return first;
    const last = first + processes - 1;
    if (last > HIGHEST_PORT) refuse('must leave room above it: each process has a port');
    if (first <= port && port <= last) {
      const others = processes > 1 ? `, and so must the ${processes - 1} above it: each process has a port` : '';
      refuse(`must be another port than PORT${others}`);
    }
    return first + index;
  };
}

/** Refuses names that no resolver can look up before anything is created. */
const parseHost: Parse<string> = (text, refuse) => {
  const isName = text.length <= MAX_HOST_CHARS && HOST_NAME.test(text) && URL.canParse(`http://${text}`);
  if (!isName && !parseAddress(bareHost(text))) return refuse(`must be a host name or an address: ${text}`);
  // A URL cannot contain a zone, and the listener does not accept one.
  return text.includes('%') ? refuse(`must be an address without a zone: ${text}`) : text;
};

/** An IPv6 address may be in brackets, as in a URL. */
function bareHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

function urlOf(host: string, port: number): string {
  const isWildcard = host === '0.0.0.0' || host === '::' || host === '[::]';
  const name = host.includes(':') ? `[${bareHost(host)}]` : host;
  return `http://${isWildcard ? '127.0.0.1' : name}:${port}`;
}

const parseSecret: Parse<string> = (text, refuse) =>
  text.length >= MIN_SECRET_CHARS ? text : refuse(`must have at least ${MIN_SECRET_CHARS} characters`);

const parseWebhookSecret: Parse<string> = (text, refuse) =>
  isWebhookSecret(text) ? text : refuse('must be whsec_ and at least 24 bytes in base64');

const parseSwitch: Parse<boolean> = (text, refuse) =>
  text === '0' || text === '1' ? text === '1' : refuse('must be 0 or 1');

const parseKill: Parse<KillOrder> = (text, refuse) =>
  parseKillOrder(text) ?? refuse('must be a kill point such as inside-settle or inside-settle:3');

const parseUrl: Parse<string> = (text, refuse) =>
  /^https?:\/\//.test(text) && URL.canParse(text) ? text.replace(/\/+$/, '') : refuse('must be an http or https URL');

/** It becomes part of the catalog document, whose addresses contain no secrets. */
const parseOllamaUrl: Parse<string> = (text, refuse) => {
  const url = parseUrl(text, refuse);
  const hasUser = url !== undefined && new URL(url).username + new URL(url).password !== '';
  return hasUser ? refuse('must have no user info') : url;
};

/** Paths are appended, so it must have no query or fragment. */
const parsePublicUrl: Parse<string> = (text, refuse) =>
  /^\w+:\/\/[^/?#@]+(\/[^?#]*)?$/.test(text)
    ? parseUrl(text, refuse)
    : refuse('must be an http or https URL without user info, query and fragment');

const parseContact: Parse<string> = (text, refuse) =>
  isContact(text)
    ? text
    : refuse('must be an address such as mailto:help@example.com or https://example.com/help, without spaces');

function isContact(text: string): boolean {
  if (/\s/.test(text) || !URL.canParse(text)) return false;
  const { protocol, pathname } = new URL(text);
  if (protocol === 'mailto:') return pathname.split(',').every((address) => /^[^@]+@[^@]+$/.test(address));
  return /^https:\/\//i.test(text);
}

/** The URL of a page, which is linked unchanged. */
const parsePageUrl: Parse<string> = (text, refuse) =>
  /^https?:\/\/\S+$/i.test(text) && URL.canParse(text) ? text : refuse('must be an http or https URL, without spaces');

const parseDatabaseUrl: Parse<string> = (text, refuse) =>
  readDatabaseUrls(text)
    ? text
    : refuse(
        'must be a URL that begins with postgres://; several servers are separated by commas (postgres://USER@HOST1:5432,HOST2:5432/DATABASE), and target_session_attrs can only be read-write or primary',
      );

const parseNetworks: Parse<Network[]> = (text, refuse) => {
  const parts = text.split(',').map((part) => part.trim());
  return parts.filter(Boolean).flatMap((part) => {
    const network = parseNetwork(part);
    if (!network) refuse(`has an entry that is no address or CIDR: ${part}`);
    return network ?? [];
  });
};
