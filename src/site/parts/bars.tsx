/** @jsxImportSource hono/jsx */
// Bar charts: rendered without a script, with a text for screen readers.

interface Bar {
  /** 0 to 1; null where there is nothing to show. */
  height: number | null;
  /** What it says when pointed at. */
  title: string;
  kind: 'operational' | 'degraded' | 'down';
}

const BAR = 18;
const STEP = 22;
const HEIGHT = 100;
/** The smallest visible bar. */
const LEAST = 3;

export function Bars({
  bars,
  label,
  look = ' is-chart',
}: {
  bars: readonly Bar[];
  label: string;
  look?: string | undefined;
}) {
  return (
    <svg
      class={`bars${look}`}
      viewBox={`0 0 ${Math.max(1, bars.length) * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {bars.map(({ height, title, kind }, index) => {
        const tall = height === null ? 1 : Math.max(LEAST, height * HEIGHT);
        const look = height === null ? 'none' : kind;
        return (
          <rect class={look} x={index * STEP + 2} y={HEIGHT - tall} width={BAR} height={tall}>
            <title>{title}</title>
          </rect>
        );
      })}
    </svg>
  );
}
