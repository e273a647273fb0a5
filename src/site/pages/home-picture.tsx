/** @jsxImportSource hono/jsx */
// How it works in one picture: the visitor's tools, this gateway with the wallet, and the channels of this server.

import type { Catalog } from '../../catalog/catalog.ts';
import { type Language, wordsOf } from '../language.ts';
import { exampleTrace } from './home-trace.tsx';

export interface Picture {
  models: number;
  /** Those that are shown; the first two are those of the example, where one takes over from the other. */
  channels: readonly string[];
  others: number;
  takesOver: boolean;
}

const SHOWN_CHANNELS = 3;

export function pictureOf(catalog: Catalog): Picture {
  const { first, second } = exampleTrace(catalog) ?? {};
  const used = catalog.models.flatMap(({ routes }) => routes.map(({ channel }) => channel));
  const real = used.filter(({ kind }) => kind !== 'demo');
  const names = (real.length > 0 ? real : used).map(({ name }) => name);
  const channels = [...new Set([...[first, second].filter((name) => name !== undefined), ...names])];
  return {
    models: catalog.models.length,
    channels: channels.slice(0, SHOWN_CHANNELS),
    others: Math.max(0, channels.length - SHOWN_CHANNELS),
    takesOver: second !== undefined,
  };
}

export function pictureText(
  language: Language,
  siteName: string,
  { models, channels, others, takesOver }: Picture,
): string {
  const { picture: words } = wordsOf(language).home;
  const says = takesOver ? [words.first, words.second] : [];
  return [
    `## ${words.title}`,
    '',
    `1. ${words.tools}: ${words.toolNames} → ${words.oneKey}`,
    `2. ${siteName}: ${words.wallet} → ${words.models(models)}`,
    ...channels.map((name, index) => `   - ${name}${says[index] === undefined ? '' : `: ${says[index]}`}`),
    ...(others === 0 ? [] : [`   - ${words.others(others)}`]),
  ].join('\n');
}

interface PictureProps {
  language: Language;
  siteName: string;
  picture: Picture;
}

export function HowItWorks({ language, siteName, picture }: PictureProps) {
  const { picture: words } = wordsOf(language).home;
  const { models, channels, others, takesOver } = picture;
  const says = takesOver ? [words.first, words.second] : [];
  return (
    <figure class="how" aria-label={words.title}>
      <div class="how-box">
        <strong>{words.tools}</strong>
        <span class="faint">{words.toolNames}</span>
      </div>
      <p class="how-link">{words.oneKey}</p>
      <div class="how-box is-own">
        <strong>{siteName}</strong>
        <span class="faint">{words.wallet}</span>
      </div>
      <p class="how-link">{words.models(models)}</p>
      <ul class="how-channels">
        {channels.map((name, index) => (
          <li>
            <span class="id">{name}</span>
            {says[index] === undefined ? null : <span class="faint">{says[index]}</span>}
          </li>
        ))}
      </ul>
      {others === 0 ? null : <p class="faint">{words.others(others)}</p>}
    </figure>
  );
}
