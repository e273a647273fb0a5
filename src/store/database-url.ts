// Reads a PostgreSQL URL. As with PostgreSQL's own clients, it may name several servers: postgres://user@a:5432,b:5432/db

const SHAPE = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;
const TARGET = 'target_session_attrs';
/** The other values ask for a standby, or accept one. */
const TARGETS_PRIMARY = [null, 'read-write', 'primary'];

/** One URL for each server, in the order given; undefined if it is no such URL. */
export function readDatabaseUrls(text: string): string[] | undefined {
  const [, before, hosts, after] = SHAPE.exec(text) ?? [];
  if (before === undefined || hosts === undefined || after === undefined) return undefined;
  // A / ? or # of a password that is not written as %2F, %3F or %23: what follows would be shown as the database's name.
  if (after.includes('@')) return undefined;
  const names = hosts.split(',');
  if (names.length > 1 && names.includes('')) return undefined;
  const urls = names.map((name) => before + name + after);
  if (!urls.every((url) => URL.canParse(url) && isDecodable(url) && asksForPrimary(url))) return undefined;
  return urls.map(withoutTarget);
}

/** Where the database is, for messages: without the user and the password that the URL may hold. */
export function databasePlace(url: string): string {
  const urls = (readDatabaseUrls(url) ?? []).map((one) => new URL(one));
  return urls.map(({ host }) => host).join(',') + (urls[0]?.pathname ?? '');
}

/** In place of the password, for messages. */
export const MASK = '***';

export function maskPassword(url: string): string {
  return url.replace(/^(postgres(?:ql)?:\/\/[^/?#:]*):[^/?#]+@/, `$1:${MASK}@`);
}

function isDecodable(url: string): boolean {
  const { username, password, pathname } = new URL(url);
  try {
    return [username, password, pathname].map(decodeURIComponent).length > 0;
  } catch {
    return false;
  }
}

function asksForPrimary(url: string): boolean {
  return TARGETS_PRIMARY.includes(new URL(url).searchParams.get(TARGET));
}

function withoutTarget(url: string): string {
  if (!url.includes(TARGET)) return url;
  const rest = new URL(url);
  rest.searchParams.delete(TARGET);
  return rest.href;
}
