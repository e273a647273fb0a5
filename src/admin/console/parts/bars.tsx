/** @jsxImportSource hono/jsx */
// A small chart of bars, drawn here: readable without a script, and in words for who does not see it.

export interface Bar {
  /** 0 to 1; null where there is nothing to show. */
  height: number | null;
  /** What it says when pointed at. */
  title: string;
  kind?: 'operational' | 'degraded' | 'down';
}

const BAR = 18;
const STEP = 22;
const HEIGHT = 100;
/** What is there at all is seen. */
const LEAST = 3;

export function Bars({ bars, label, isSmall = false }: { bars: readonly Bar[]; label: string; isSmall?: boolean }) {
  return (
    <svg
      class={isSmall ? 'bars' : 'bars is-chart'}
      viewBox={`0 0 ${Math.max(1, bars.length) * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {bars.map(({ height, title, kind }, index) => {
        const tall = height === null ? 1 : Math.max(LEAST, height * HEIGHT);
        return (
          <rect
            class={height === null ? 'none' : (kind ?? 'some')}
            x={index * STEP + 2}
            y={HEIGHT - tall}
            width={BAR}
            height={tall}
          >
            <title>{title}</title>
          </rect>
        );
      })}
    </svg>
  );
}
