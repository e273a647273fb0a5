// Why a store cannot be opened or used, in one line for the operator.

export class StoreRefused extends Error {
  override name = 'StoreRefused';
}

export function noDatabase(file: string): StoreRefused {
  return new StoreRefused(
    `there is no database at ${file}: set DATA_DIR to the folder of the server's database, or DATABASE_URL to its PostgreSQL`,
  );
}
