// The random economy on the embedded database and on PostgreSQL.

import { systemClock } from '../../src/kit/clock.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { sharePostgres } from '../support/postgres.ts';
import { describeEconomy } from './economy.ts';

describeEconomy('SQLite', async () => ({
  env: {},
  remove: async () => undefined,
  audit: async ({ gateway }) => gateway.audit(),
}));

describeEconomy('PostgreSQL', async () => {
  const server = await sharePostgres();
  const { url, sql } = await server.createDatabase();
  return {
    env: { DATABASE_URL: url, SECRETS_PEPPER: 'a pepper for the economy only' },
    remove: () => server.stop(),
    rows: (query) => sql(query),
    async audit() {
      const store = await openPostgresStore({ url, clock: systemClock });
      try {
        return (await store.read.audit({})).differences;
      } finally {
        await store.close();
      }
    },
  };
});
