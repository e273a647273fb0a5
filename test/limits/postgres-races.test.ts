// The races for limits with two gateways on one PostgreSQL.

import { startPostgres } from '../support/postgres.ts';
import { describeLimitRaces } from './limit-races.ts';

describeLimitRaces('PostgreSQL', async () => {
  const server = await startPostgres();
  const { url } = await server.createDatabase();
  return { env: { DATABASE_URL: url }, nodes: 2, remove: () => server.stop() };
});
