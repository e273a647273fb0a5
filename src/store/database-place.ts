// Where a PostgreSQL is, for messages: without the user and the password that its URL may hold.

export function databasePlace(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}
