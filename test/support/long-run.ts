// `npm run test:long` runs tables and random cases in full, of which `npm test` takes a share.

export const IS_LONG_RUN = process.env.LONG_RUN === '1';

/** Another share, and other random cases, in each run: `npm test` prints it, and SEED repeats it. */
export const RUN_SEED = Number(process.env.SEED ?? Date.now() % 1_000_000_000);
if (!Number.isSafeInteger(RUN_SEED)) throw new Error(`SEED is a whole number, not ${process.env.SEED}`);
