// A small chart of the last minutes: one or two lines over a plain ground, newest at the right.

import { POINTS_LIMIT } from '../lib/status.ts'
import css from './line-chart.module.css'

export interface ChartLine {
  /** Oldest first; undefined where there was nothing to measure. */
  values: (number | undefined)[]
  tone?: 'second'
}

export interface LineChartProps {
  /** What is drawn, for those who cannot see it. */
  label: string
  lines: ChartLine[]
  format: (value: number) => string
  /** Unit of the scale. */
  caption: string
  /** Top of the scale; otherwise the highest value decides. */
  most?: number
  /** The top is at least this, so that little does not look like much. */
  least?: number
  /** Single values are marked, since they have no neighbours to be joined with. */
  hasGaps?: boolean
}

const WIDTH = 240
const HEIGHT = 64

export function LineChart({ label, lines, format, caption, most, least = 1, hasGaps = false }: LineChartProps) {
  const values = lines.flatMap((line) => line.values).filter((value) => value !== undefined)
  const top = most ?? niceTop(Math.max(least, ...values))
  const last = lines[0]?.values.findLast((value) => value !== undefined)
  const said =
    last === undefined ? 'nothing measured yet' : `latest ${format(last)}, highest ${format(Math.max(...values))}`
  return (
    <figure className={css.figure}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`${label}: ${said}`}>
        <path className={css.ground} d={`M0 .5H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT - 0.5}H${WIDTH}`} />
        {[...lines].reverse().map(({ values: own, tone = 'first' }) => (
          <g key={tone} data-tone={tone}>
            {tone === 'first' && !hasGaps ? <path className={css.area} d={areaOf(own, top)} /> : null}
            <path className={css.line} d={lineOf(own, top)} />
            {hasGaps ? <path className={css.dots} d={dotsOf(own, top)} /> : null}
          </g>
        ))}
      </svg>
      <figcaption aria-hidden="true">
        <span>{format(top)}</span>
        <span>{caption}</span>
      </figcaption>
    </figure>
  )
}

const xOf = (index: number, count: number) =>
  Number((WIDTH - ((count - 1 - index) * WIDTH) / (POINTS_LIMIT - 1)).toFixed(1))
const yOf = (value: number, top: number) => Number((HEIGHT - 1 - (HEIGHT - 2) * Math.min(1, value / top)).toFixed(1))

function lineOf(values: (number | undefined)[], top: number): string {
  let pen = 'M'
  return values
    .map((value, index) => {
      if (value === undefined) {
        pen = 'M'
        return ''
      }
      const step = `${pen}${xOf(index, values.length)} ${yOf(value, top)}`
      pen = 'L'
      return step
    })
    .join('')
}

/** The ground under each unbroken piece of the line. */
function areaOf(values: (number | undefined)[], top: number): string {
  const filled = values.map((value, index) =>
    value === undefined ? undefined : { x: xOf(index, values.length), value },
  )
  const pieces: { x: number; value: number }[][] = [[]]
  for (const point of filled) {
    if (point) pieces.at(-1)?.push(point)
    else pieces.push([])
  }
  return pieces
    .filter((piece) => piece.length > 1)
    .map((piece) => {
      const path = piece.map(({ x, value }) => `L${x} ${yOf(value, top)}`).join('')
      return `M${piece[0]?.x} ${HEIGHT}${path}L${piece.at(-1)?.x} ${HEIGHT}Z`
    })
    .join('')
}

function dotsOf(values: (number | undefined)[], top: number): string {
  return values
    .map((value, index) => (value === undefined ? '' : `M${xOf(index, values.length)} ${yOf(value, top)}h0`))
    .join('')
}

/** 1, 2 or 5 times a power of ten, so that the scale moves seldom. */
function niceTop(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power
}
