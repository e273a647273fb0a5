// The races for limits with two gateways on one PostgreSQL.

import { sharePostgres } from '../support/postgres.ts';
import { describeLimitRaces } from './limit-races.ts';

describeLimitRaces('PostgreSQL', async () => {
  const server = await sharePostgres();
  const { url } = await server.createDatabase();
  return { env: { DATABASE_URL: url }, nodes: 2, remove: () => server.stop() };
});
