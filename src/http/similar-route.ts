// A hint for a client whose path does not exist. Most have a wrong base URL, so that their path ends like one of ours.

import { GEMINI_BASE, GEMINI_UPLOADS } from './gemini-path.ts';
import { ROUTES } from './route-table.ts';

const PATHS = ROUTES.map(({ path }) => path).filter((path) => !path.includes(':'));

const STORED_AT_GOOGLE = ['files', 'cachedContents'].map((name) => `${GEMINI_BASE}/${name}`);

export function similarRouteHint(asked: string, publicUrl: string): string | undefined {
  if ([GEMINI_UPLOADS, ...STORED_AT_GOOGLE].some((path) => asked.startsWith(path))) {
    return 'Files and caches are not stored here. Send files as inlineData in contents.';
  }
  const path = similarPath(asked);
  if (path === undefined) return undefined;
  const meant = `Did you mean ${publicUrl}${path}?`;
  // With /v1 in the path, the base URL is already right.
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
