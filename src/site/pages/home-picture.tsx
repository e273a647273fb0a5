/** @jsxImportSource hono/jsx */
// One picture of how the service works: tools, one key, the gateway with the wallet, and channels of which one takes over
// from the other. Two drawings of the same: the style shows the one that fits the screen.

import { type Language, wordsOf } from '../language.ts';

export function Picture({ language }: { language: Language }) {
  const { picture } = wordsOf(language).home;
  return (
    <figure class="picture">
      <Drawing language={language} shape={WIDE} look="is-wide" />
      <Drawing language={language} shape={TALL} look="is-tall" />
      <figcaption>{picture.text}</figcaption>
    </figure>
  );
}

type Box = readonly [x: number, y: number, width: number, height: number];

interface Shape {
  size: readonly [width: number, height: number];
  tools: Box;
  gateway: Box;
  channelA: Box;
  channelB: Box;
  /** Lines between them, each with its tip: x, y and where it points. */
  lines: readonly { d: string; tip: string; isSpare?: boolean }[];
  key: readonly [x: number, y: number];
  takesOver: readonly [x: number, y: number];
}

const right = (x: number, y: number) => `M${x} ${y}l-10 -6v12Z`;
const down = (x: number, y: number) => `M${x} ${y}l-6 -10h12Z`;

const WIDE: Shape = {
  size: [800, 200],
  tools: [4, 60, 210, 80],
  gateway: [302, 40, 236, 120],
  channelA: [640, 16, 156, 64],
  channelB: [640, 120, 156, 64],
  lines: [
    { d: 'M214 100H292', tip: right(302, 100) },
    { d: 'M538 76C590 76 580 48 630 48', tip: right(640, 48) },
    { d: 'M538 124C590 124 580 152 630 152', tip: right(640, 152), isSpare: true },
  ],
  key: [257, 88],
  takesOver: [584, 178],
};

const TALL: Shape = {
  size: [340, 400],
  tools: [50, 4, 240, 80],
  gateway: [32, 150, 276, 100],
  channelA: [4, 330, 156, 64],
  channelB: [180, 330, 156, 64],
  lines: [
    { d: 'M170 84V140', tip: down(170, 150) },
    { d: 'M110 250C110 290 82 280 82 320', tip: down(82, 330) },
    { d: 'M230 250C230 290 258 280 258 320', tip: down(258, 330), isSpare: true },
  ],
  key: [214, 122],
  takesOver: [294, 290],
};

function Drawing({ language, shape, look }: { language: Language; shape: Shape; look: string }) {
  const { picture } = wordsOf(language).home;
  const { size, tools, gateway, channelA, channelB, lines, key, takesOver } = shape;
  return (
    <svg class={look} viewBox={`0 0 ${size.join(' ')}`} role="img" aria-label={picture.title}>
      {lines.map(({ d, tip, isSpare }) => (
        <>
          <path class={isSpare ? 'is-spare' : ''} d={d} />
          <path class="tip" d={tip} />
        </>
      ))}
      <Place box={tools} title={picture.tools} text={picture.toolNames} />
      <Place box={gateway} title={picture.gateway} text={picture.wallet} look="is-ours" />
      <Place box={channelA} title={picture.channelA} />
      <Place box={channelB} title={picture.channelB} look="is-spare" />
      <Label at={key} text={picture.key} />
      <Label at={takesOver} text={picture.takesOver} />
    </svg>
  );
}

interface PlaceProps {
  box: Box;
  title: string;
  text?: string;
  look?: string;
}

function Place({ box: [x, y, width, height], title, text, look = '' }: PlaceProps) {
  const middle = x + width / 2;
  const line = y + height / 2 + 6;
  return (
    <>
      <rect class={look} x={x} y={y} width={width} height={height} rx="4" />
      <text x={middle} y={text === undefined ? line : line - 11}>
        {title}
      </text>
      {text === undefined ? null : <Label at={[middle, line + 13]} text={text} />}
    </>
  );
}

function Label({ at: [x, y], text }: { at: readonly [x: number, y: number]; text: string }) {
  return (
    <text class="small" x={x} y={y}>
      {text}
    </text>
  );
}
