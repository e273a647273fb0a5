// The limits of every account, as registration and GET /api/me report them.

import type { Catalog } from '../catalog/catalog.ts';

export type PublicLimits = ReturnType<typeof publicLimits>;

export function publicLimits({ limits, guards }: Catalog) {
  return { ...limits, free_in_flight: guards.free_in_flight };
}
