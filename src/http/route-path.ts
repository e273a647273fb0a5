// The path of a request as the routes know it. Clients differ in where their base URL ends: a /v1 too many or too few means the
// same call, and a slash at the end means nothing.

import { requestPath } from '../kit/request-url.ts';
import { GEMINI_BASE, GEMINI_UPLOADS } from './gemini-path.ts';
import { ROUTES } from './route-table.ts';

const VERSION = '/v1';
const TWICE = `${VERSION}${VERSION}/`;

/** Paths that work without /v1: none below an id, and none that is a page. */
const WITHOUT_VERSION: ReadonlyMap<string, string> = new Map(
  ROUTES.filter(({ path }) => path.startsWith(`${VERSION}/`) && !path.includes(':')).map(({ path }) => [
    path.slice(VERSION.length),
    path,
  ]),
);

/** The pattern by which the router finds a path: in Gemini's, a method follows the id, and unknown ids may have slashes. */
export function routerPattern(path: string): string {
  if (!path.startsWith(`${GEMINI_BASE}/`)) return path;
  return path.replace(/\/:(\w+)(:\w+)?$/, (_, name: string, method = '') => `/:${name}{.+${method}}`);
}

export function routePath(request: Request): string {
  const asked = requestPath(request);
  const once = asked.startsWith(TWICE) ? asked.slice(VERSION.length) : asked;
  const path = once.length > 1 && once.endsWith('/') ? once.slice(0, -1) : once;
  if (isOfGemini(request, path)) return GEMINI_BASE + path.slice(VERSION.length);
  return isPage(request, path) ? path : (WITHOUT_VERSION.get(path) ?? path);
}

const MODELS = `${VERSION}/models`;
const GEMINI_METHOD = /:(?:generateContent|streamGenerateContent|countTokens|embedContent|batchEmbedContents)$/;

/** Google's newer libraries say v1, too. No other client has its header for keys, or a method behind a model. */
function isOfGemini({ headers }: Request, path: string): boolean {
  return path.startsWith(MODELS) && (GEMINI_METHOD.test(path) || headers.has('x-goog-api-key'));
}

/** The list of models has a page of the same name, for browsers. */
function isPage({ method, headers }: Request, path: string): boolean {
  return path === '/models' && method === 'GET' && (headers.get('accept') ?? '').includes('text/html');
}

const PATHS = ROUTES.map(({ path }) => path).filter((path) => !path.includes(':'));

const STORED_AT_GOOGLE = ['files', 'cachedContents'].map((name) => `${GEMINI_BASE}/${name}`);

/** For a client whose path does not exist. Most have a wrong base URL, so that their path ends like one of ours. */
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
