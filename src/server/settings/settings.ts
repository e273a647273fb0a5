// The environment, read and checked once. No other file reads it.

import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { ProviderSettings } from '../../catalog/default-document.ts';
import { type Network, parseAddress, parseNetwork } from '../../kit/address.ts';
import { type KillOrder, parseKillOrder } from '../../kit/failpoint.ts';
import { isOwnKey } from '../../kit/own-key.ts';
import { isWebhookSecret } from '../../kit/webhook-signature.ts';
import { readDatabaseUrls } from '../../store/database-url.ts';

export interface Settings {
  port: number;
  host: string;
  /** Number of processes that share the port. */
  processes: number;
  /** The index of this process, from 0; undefined: the only one, or the parent. */
  processIndex: number | undefined;
  /** It joins a running service and uses the catalog of the database. */
  follows: boolean;
  /** For this process's operator listener; undefined: the default, or any free port. */
  adminPort: number | undefined;
  /** Undefined: the one kept in the data folder. */
  adminToken: string | undefined;
  dataDir: string;
  /** PostgreSQL; undefined: the embedded database in the data folder. */
  databaseUrl: string | undefined;
  /** The catalog file: set by the operator, or ./gateway.yaml if it existed when the settings were read. */
  configFile: string | undefined;
  publicUrl: string;
  /** The URL of the public listener from this machine. */
  ownUrl: string;
  siteName: string;
  /** Where to report vulnerabilities: a mailto: or https: address for security.txt and the page /security. */
  securityContact: string | undefined;
  /** Support for customers: a mailto: or https: address that pages link to. */
  supportContact: string | undefined;
  /** The operator's pages, linked in the footer. */
  termsUrl: string | undefined;
  privacyUrl: string | undefined;
  trustedProxies: readonly Network[];
  /** Undefined: the one kept in the data folder. */
  pepper: string | undefined;
  alarmWebhookUrl: string | undefined;
  /** Signs alarms; undefined: they are not signed. */
  alarmWebhookSecret: string | undefined;
  /** Webhooks of customers may go to any address, also in the network of this server, and without TLS. */
  allowsPrivateWebhooks: boolean;
  /** The environment sets a proxy for calls to upstreams. */
  hasProxy: boolean;
  providers: ProviderSettings;
  /** How long running calls may take after a signal. */
  drainSeconds: number;
  /** How long new work is still accepted after a signal, while /readyz is 503. */
  drainNoticeSeconds: number;
  /** Where a test kills this process. */
  killOrder: KillOrder | undefined;
  /** For `env:NAME` references in the catalog. */
  variable(name: string): string | undefined;
}

export class SettingsRefused extends Error {
  override name = 'SettingsRefused';
  constructor(readonly faults: readonly string[]) {
    super(faults.join('; '));
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

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

export function readSettings(
  environment: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
): Settings {
  const faults: string[] = [];
  const variable = (name: string) => environment[name]?.trim() || undefined;
  const port = readPort(variable('PORT'), 8787, 'PORT', faults);
  const host = readHost(variable('HOST'), faults);
  const processes = readProcesses(variable('PROCESSES'), faults);
  const processIndex = readIndex(variable('PROCESS_INDEX'), processes, faults);
  const follows = processIndex !== undefined && variable('PROCESS_FOLLOWS') !== undefined;
  const adminPort = readAdminPort(variable('ADMIN_PORT'), { port, processes, processIndex }, faults);
  const pepper = readSecret(variable('SECRETS_PEPPER'), 'SECRETS_PEPPER', faults);
  const databaseUrl = readDatabaseUrl(variable('DATABASE_URL'), faults);
  if (databaseUrl !== undefined && pepper === undefined) {
    faults.push('SECRETS_PEPPER is required with DATABASE_URL: all nodes must have the same one');
  }
  if (processes > 1) {
    if (platform !== 'linux') faults.push(`PROCESSES above 1 needs Linux: only there do processes share a port evenly`);
    if (variable('DATABASE_URL') === undefined) faults.push(ONE_PROCESS_ON_SQLITE);
    if (port === 0) faults.push('PORT must be a number above 0 with PROCESSES above 1: all of them share it');
  }
  const ownUrl = urlOf(host, port);
  const publicUrl = readPublicUrl(variable('PUBLIC_URL'), faults) ?? ownUrl;
  const settings: Settings = {
    port,
    host,
    processes,
    processIndex,
    follows,
    adminPort,
    adminToken: readSecret(variable('ADMIN_TOKEN'), 'ADMIN_TOKEN', faults),
    dataDir: resolve(variable('DATA_DIR') ?? './data'),
    databaseUrl,
    configFile: catalogFile(variable('GATEWAY_CONFIG'), follows, faults),
    publicUrl,
    ownUrl,
    siteName: variable('SITE_NAME') ?? 'AI Gateway',
    securityContact: readContact(variable('SECURITY_CONTACT'), 'SECURITY_CONTACT', faults),
    supportContact: readContact(variable('SUPPORT_CONTACT'), 'SUPPORT_CONTACT', faults),
    termsUrl: readPageUrl(variable('TERMS_URL'), 'TERMS_URL', faults),
    privacyUrl: readPageUrl(variable('PRIVACY_URL'), 'PRIVACY_URL', faults),
    trustedProxies: readNetworks(variable('TRUSTED_PROXIES'), faults),
    pepper,
    alarmWebhookUrl: readUrl(variable('ALARM_WEBHOOK_URL'), 'ALARM_WEBHOOK_URL', faults),
    alarmWebhookSecret: readWebhookSecret(variable('ALARM_WEBHOOK_SECRET'), faults),
    allowsPrivateWebhooks: readSwitch(variable('ALLOW_PRIVATE_WEBHOOKS'), 'ALLOW_PRIVATE_WEBHOOKS', faults),
    hasProxy: PROXY_VARIABLES.some((name) => variable(name) !== undefined),
    providers: {
      openaiApiKey: isProviderKey(variable('OPENAI_API_KEY')),
      anthropicApiKey: isProviderKey(variable('ANTHROPIC_API_KEY')),
      geminiApiKey: isProviderKey(variable('GEMINI_API_KEY')),
      openrouterApiKey: isProviderKey(variable('OPENROUTER_API_KEY')),
      ollamaBaseUrl: readOllamaUrl(variable('OLLAMA_BASE_URL'), faults),
    },
    drainSeconds: readSeconds(variable('DRAIN_SECONDS'), 'DRAIN_SECONDS', 120, MAX_DRAIN_SECONDS, faults),
    drainNoticeSeconds: readSeconds(
      variable('DRAIN_NOTICE_SECONDS'),
      'DRAIN_NOTICE_SECONDS',
      0,
      MAX_NOTICE_SECONDS,
      faults,
    ),
    killOrder: readKillOrder(variable('TORTURE_KILL'), faults),
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

/** A key of this service is exported for its clients; it is not a provider's. */
function isProviderKey(value: string | undefined): boolean {
  return value !== undefined && !isOwnKey(value);
}

function readSeconds(
  text: string | undefined,
  name: string,
  otherwise: number,
  most: number,
  faults: string[],
): number {
  if (text === undefined) return otherwise;
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  if (seconds > most) faults.push(`${name} must be a whole number of seconds from 0 to ${most}`);
  return seconds;
}

function readPort(text: string | undefined, standard: number, name: string, faults: string[]): number {
  if (text === undefined) return standard;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= HIGHEST_PORT) return port;
  faults.push(`${name} must be a port number`);
  return standard;
}

/** Refuses names that no resolver can look up before anything is created. */
function readHost(text: string | undefined, faults: string[]): string {
  if (text === undefined) return '127.0.0.1';
  const isName = text.length <= MAX_HOST_CHARS && HOST_NAME.test(text) && URL.canParse(`http://${text}`);
  if (!isName && !parseAddress(bareHost(text))) faults.push(`HOST must be a host name or an address: ${text}`);
  // A URL cannot contain a zone, and the listener does not accept one.
  else if (text.includes('%')) faults.push(`HOST must be an address without a zone: ${text}`);
  return text;
}

/** An IPv6 address may be in brackets, as in a URL. */
function bareHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

function readProcesses(text: string | undefined, faults: string[]): number {
  if (text === undefined) return 1;
  if (text === 'auto') return availableParallelism();
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= MAX_PROCESSES) return count;
  faults.push(`PROCESSES must be a whole number from 1 to ${MAX_PROCESSES}, or auto`);
  return 1;
}

function readIndex(text: string | undefined, processes: number, faults: string[]): number | undefined {
  if (text === undefined) return undefined;
  const index = Number(text);
  if (/^\d+$/.test(text) && index < processes) return index;
  faults.push('PROCESS_INDEX is not for you to set: the server gives it to the processes that it starts');
  return undefined;
}

/** Each process serves its own metrics, on ADMIN_PORT and the ports after it. */
function readAdminPort(
  text: string | undefined,
  { port, processes, processIndex }: Pick<Settings, 'port' | 'processes' | 'processIndex'>,
  faults: string[],
): number | undefined {
  if (text === undefined) return undefined;
  const first = readPort(text, 0, 'ADMIN_PORT', faults);
  // Any free port for each process.
  if (first === 0) return 0;
  const last = first + processes - 1;
  if (last > HIGHEST_PORT) faults.push('ADMIN_PORT must leave room above it: each process has a port');
  if (first <= port && port <= last) {
    const others = processes > 1 ? `, and so must the ${processes - 1} above it: each process has a port` : '';
    faults.push(`ADMIN_PORT must be another port than PORT${others}`);
  }
  return first + (processIndex ?? 0);
}

function readSecret(text: string | undefined, name: string, faults: string[]): string | undefined {
  if (text !== undefined && text.length < MIN_SECRET_CHARS) {
    faults.push(`${name} must have at least ${MIN_SECRET_CHARS} characters`);
  }
  return text;
}

function readWebhookSecret(text: string | undefined, faults: string[]): string | undefined {
  if (text !== undefined && !isWebhookSecret(text)) {
    faults.push('ALARM_WEBHOOK_SECRET must be whsec_ and at least 24 bytes in base64');
  }
  return text;
}

function readSwitch(text: string | undefined, name: string, faults: string[]): boolean {
  if (text !== undefined && text !== '0' && text !== '1') faults.push(`${name} must be 0 or 1`);
  return text === '1';
}

function readKillOrder(text: string | undefined, faults: string[]): KillOrder | undefined {
  const order = text === undefined ? undefined : parseKillOrder(text);
  if (text !== undefined && !order) {
    faults.push('TORTURE_KILL must be a kill point such as inside-settle or inside-settle:3');
  }
  return order;
}

/** A process that follows does not read the file, which may be in the middle of a replacement. */
function catalogFile(text: string | undefined, follows: boolean, faults: string[]): string | undefined {
  if (text === undefined) return defaultConfigFile();
  const file = resolve(text);
  if (!follows && !existsSync(file)) faults.push(`GATEWAY_CONFIG names a file that does not exist: ${file}`);
  return file;
}

/** ./gateway.yaml, if it exists now. */
export function defaultConfigFile(): string | undefined {
  const file = resolve('./gateway.yaml');
  return existsSync(file) ? file : undefined;
}

function urlOf(host: string, port: number): string {
  const isWildcard = host === '0.0.0.0' || host === '::' || host === '[::]';
  const name = isWildcard ? '127.0.0.1' : host.includes(':') ? `[${bareHost(host)}]` : host;
  return `http://${name}:${port}`;
}

function readUrl(text: string | undefined, name: string, faults: string[]): string | undefined {
  if (text === undefined) return undefined;
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text.replace(/\/+$/, '');
  faults.push(`${name} must be an http or https URL`);
  return undefined;
}

/** It becomes part of the catalog document, whose addresses contain no secrets. */
function readOllamaUrl(text: string | undefined, faults: string[]): string | undefined {
  const url = readUrl(text, 'OLLAMA_BASE_URL', faults);
  if (url !== undefined && new URL(url).username + new URL(url).password !== '') {
    faults.push('OLLAMA_BASE_URL must have no user info');
  }
  return url;
}

/** Paths are appended, so it must have no query or fragment. */
function readPublicUrl(text: string | undefined, faults: string[]): string | undefined {
  const isBase = text === undefined || /^\w+:\/\/[^/?#@]+(\/[^?#]*)?$/.test(text);
  if (isBase) return readUrl(text, 'PUBLIC_URL', faults);
  faults.push('PUBLIC_URL must be an http or https URL without user info, query and fragment');
  return undefined;
}

function readContact(text: string | undefined, name: string, faults: string[]): string | undefined {
  if (text === undefined || isContact(text)) return text;
  faults.push(`${name} must be an address such as mailto:help@example.com or https://example.com/help, without spaces`);
  return undefined;
}

/** The URL of a page, which is linked unchanged. */
function readPageUrl(text: string | undefined, name: string, faults: string[]): string | undefined {
  if (text === undefined || (/^https?:\/\/\S+$/i.test(text) && URL.canParse(text))) return text;
  faults.push(`${name} must be an http or https URL, without spaces`);
  return undefined;
}

function isContact(text: string): boolean {
  if (/\s/.test(text) || !URL.canParse(text)) return false;
  const { protocol, pathname } = new URL(text);
  if (protocol === 'mailto:') return pathname.split(',').every((address) => /^[^@]+@[^@]+$/.test(address));
  return /^https:\/\//i.test(text);
}

function readDatabaseUrl(text: string | undefined, faults: string[]): string | undefined {
  if (text === undefined) return undefined;
  if (readDatabaseUrls(text)) return text;
  faults.push(
    'DATABASE_URL must be a URL that begins with postgres://; several servers are separated by commas (postgres://USER@HOST1:5432,HOST2:5432/DATABASE), and target_session_attrs can only be read-write or primary',
  );
  return undefined;
}

function readNetworks(text: string | undefined, faults: string[]): Network[] {
  const parts = (text ?? '').split(',').map((part) => part.trim());
  return parts.filter(Boolean).flatMap((part) => {
    const network = parseNetwork(part);
    if (network) return [network];
    faults.push(`TRUSTED_PROXIES has an entry that is no address or CIDR: ${part}`);
    return [];
  });
}
