// The latest times as bars on a logarithmic scale: a miss and a hit differ by more than a ruler can show.

import { formatMs } from '../../lib/format.ts'
import { RECENT_LIMIT, type Timing } from '../../lib/lab/use-measurements.ts'
import css from './lab-timings.module.css'

const LEAST_MS = 1
const MOST_MS = 10_000
const GRID = [1, 10, 100, 1000, 10_000]
const HEIGHT = 120
const BAR = 10
const GAP = 5
const WIDTH = RECENT_LIMIT * (BAR + GAP)

export function LabTimings({ recent }: { recent: Timing[] }) {
  return (
    <section className={css.section} aria-labelledby="lab-timings">
      <h2 id="lab-timings" className="label">
        Recent times
      </h2>
      <div className={css.chart}>
        <div className={css.scale} aria-hidden="true">
          {GRID.slice(0, -1)
            .reverse()
            .map((ms) => (
              <span key={ms}>{formatMs(ms)}</span>
            ))}
        </div>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={describe(recent)}>
          <g className={css.grid}>
            {GRID.map((ms) => (
              <path key={ms} d={`M0 ${topOf(ms)}H${WIDTH}`} vectorEffect="non-scaling-stroke" />
            ))}
          </g>
          {recent.map(({ id, ms, verdict }, index) => (
            <rect
              key={id}
              className={css.bar}
              data-verdict={verdict.toLowerCase()}
              x={index * (BAR + GAP) + GAP / 2}
              y={topOf(ms)}
              width={BAR}
              height={Math.max(2, HEIGHT - topOf(ms))}
            />
          ))}
        </svg>
      </div>
      <ul className={css.legend}>
        <li data-verdict="hit">hit</li>
        <li data-verdict="miss">miss</li>
        <li data-verdict="stale">stale or wider</li>
      </ul>
    </section>
  )
}

function topOf(ms: number): number {
  const inside = Math.min(MOST_MS, Math.max(LEAST_MS, ms))
  return HEIGHT * (1 - Math.log10(inside / LEAST_MS) / Math.log10(MOST_MS / LEAST_MS))
}

function describe(recent: Timing[]): string {
  if (recent.length === 0) return 'Nothing measured yet.'
  return `Latest first: ${recent
    .slice(-8)
    .reverse()
    .map(({ ms, verdict }) => `${verdict.toLowerCase() || 'answer'} ${formatMs(ms)}`)
    .join(', ')}.`
}
