/** @jsxImportSource hono/jsx */
// The pages of the site: what they know, their menu and their foot.

import type { Child } from 'hono/jsx';
import { CHANGELOG_PATH } from '../kit/discovery-links.ts';
import { requestUrl } from '../kit/request-url.ts';
import type { Assets } from './assets.ts';
import { hasSessionCookie } from './cookies.ts';
import { Frame, type FrameContext, Links } from './frame.tsx';
import { chooseLanguage, type Language, wordsOf } from './language.ts';
import { knownQuery } from './page-parameters.ts';
import { LinkButton } from './parts/button.tsx';
import { SupportLink } from './parts/support-link.tsx';
import type { SiteTools } from './tools.ts';
import type { Words } from './words/words.ts';

export interface PageContext extends FrameContext {
  words: Words;
  /** A mailto: or https: address, if the operator set one. */
  supportContact: string | undefined;
  /** Pages of the operator's own, if there are any. */
  termsUrl: string | undefined;
  privacyUrl: string | undefined;
}

export function pageContext(request: Request, tools: SiteTools, assets: Assets): PageContext {
  const { siteName, publicUrl, supportContact, termsUrl, privacyUrl } = tools;
  const { pathname, search } = requestUrl(request);
  // With two slashes in front a link to it would lead to another site.
  const path = pathname.replace(/^\/+/, '/');
  const language = chooseLanguage(request);
  const isSignedIn = hasSessionCookie(request.headers, publicUrl);
  const query = knownQuery(path, search);
  const site = { siteName, publicUrl, supportContact, termsUrl, privacyUrl, assets };
  return { ...site, language, words: wordsOf(language), path, query, isSignedIn };
}

interface PageProps {
  context: PageContext;
  title: string;
  description?: string;
  /** Of a public page: those that it is written in. */
  languages?: readonly Language[];
  head?: Child;
  isShownOnce?: boolean;
  children?: Child;
}

export const MENU = ['pricing', 'docs', 'status', 'security'] as const;

export function Page({ context, title, description = '', languages, isShownOnce, children, ...props }: PageProps) {
  const { siteName, path, words, termsUrl, privacyUrl } = context;
  const { frame } = words;
  const links = [
    ...MENU.map((name) => ({ path: `/${name}`, text: frame[name] })),
    { path: '/account', text: context.isSignedIn ? frame.account : frame.signIn },
  ];
  const current = links.find((link) => path === link.path || path.startsWith(`${link.path}/`));
  const head = (
    <>
      {description === '' ? null : <meta name="description" content={description} />}
      {languages ? (
        <PublicHead context={context} title={title} description={description} languages={languages} />
      ) : null}
      {props.head}
    </>
  );
  const foot = (
    <>
      <SupportLink context={context} />
      {termsUrl === undefined ? null : <a href={termsUrl}>{frame.terms}</a>}
      {privacyUrl === undefined ? null : <a href={privacyUrl}>{frame.privacy}</a>}
      <a href={CHANGELOG_PATH}>{frame.changelog}</a>
      <a href="/llms.txt">llms.txt</a>
      <a href="/openapi.json">openapi.json</a>
      <a href="/api/public/catalog">{frame.catalog}</a>
      <a href="/.well-known/security.txt">security.txt</a>
      <p>{frame.promise}</p>
    </>
  );
  return (
    <Frame
      context={context}
      title={path === '/' ? `${siteName} · ${title}` : `${title} · ${siteName}`}
      head={head}
      name={siteName}
      menu={<Links links={links} current={current?.path} />}
      foot={foot}
      isShownOnce={isShownOnce}
    >
      {children}
    </Frame>
  );
}

/** A page that says one thing: that there is nothing here, or that something did not work. */
export function MessagePage({ context, title, text }: { context: PageContext; title: string; text: string }) {
  return (
    <Page context={context} title={title}>
      <div class="narrow">
        <h1>{title}</h1>
        <p class="lead">{text}</p>
        <p>
          <LinkButton href="/" text={context.words.frame.toHome} />
        </p>
      </div>
    </Page>
  );
}

type PublicHeadProps = Required<Pick<PageProps, 'context' | 'title' | 'description' | 'languages'>>;

/**
 * For search engines and link previews: its address in each language, and the preview. The address without a language depends
 * on the visitor, so the canonical one has the language.
 */
function PublicHead({ context, title, description, languages }: PublicHeadProps) {
  const { language, siteName, publicUrl } = context;
  // However it was asked for: a page has one address.
  const path = decodeURI(context.path).replace(/(?<=.)\/$/, '');
  const written = languages.includes(language) ? language : (languages[0] ?? language);
  const address = publicAddress(publicUrl, path, written);
  return (
    <>
      <link rel="canonical" href={address} />
      {languages.map((one) => (
        <link rel="alternate" hreflang={one} href={publicAddress(publicUrl, path, one)} />
      ))}
      <link rel="alternate" hreflang="x-default" href={publicUrl + path} />
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={siteName} />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={description} />
      <meta property="og:url" content={address} />
    </>
  );
}

export function publicAddress(publicUrl: string, path: string, language: Language): string {
  return `${publicUrl}${path}?lang=${language}`;
}
