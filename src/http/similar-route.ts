// A hint for a client whose path does not exist. Most have a wrong base URL, so that their path ends like one of ours.

import { ROUTES } from './route-table.ts';

const PATHS = ROUTES.map(({ path }) => path).filter((path) => !path.includes(':'));

export function similarRouteHint(asked: string, publicUrl: string): string | undefined {
  const path = similarPath(asked);
  if (path === undefined) return undefined;
  const meant = `Did you mean ${publicUrl}${path}?`;
  // Below /v1 the base URL is right already.
  if (!path.startsWith('/v1/') || asked.startsWith('/v1/')) return meant;
  const isAnthropic = path.startsWith('/v1/messages');
  const base = isAnthropic ? `Anthropic clients is ${publicUrl}` : `OpenAI clients is ${publicUrl}/v1`;
  return `${meant} The base URL of ${base}.`;
}

/** A route with the same last two path segments, else with the same last one. */
function similarPath(asked: string): string | undefined {
  const words = asked.split('/').slice(-2);
  const endingWith = (end: string) => PATHS.find((path) => path.endsWith(end));
  return endingWith(`/${words.join('/')}`) ?? endingWith(`/${words.at(-1)}`);
}
