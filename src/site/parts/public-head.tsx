/** @jsxImportSource hono/jsx */
// The head of a public page for search engines and link previews: its address in each language, and the preview. The
// address without a language depends on the visitor, so the canonical one has the language.

import type { Language } from '../language.ts';

interface PublicHeadProps {
  context: { language: Language; siteName: string; publicUrl: string; path: string };
  title: string;
  description: string;
  /** Those that the page is written in. */
  languages: readonly Language[];
}

export function PublicHead({ context, title, description, languages }: PublicHeadProps) {
  const { language, siteName, publicUrl } = context;
  const path = plainPath(context.path);
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

/** However it was asked for: a page has one address. */
function plainPath(path: string): string {
  return decodeURI(path).replace(/(?<=.)\/$/, '');
}

export function publicAddress(publicUrl: string, path: string, language: Language): string {
  return `${publicUrl}${path}?lang=${language}`;
}
