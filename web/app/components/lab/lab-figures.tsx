// The cost of a variant: bytes compared with the original's, time, verdict of the cache, phases in the services.

import { formatBytes, formatMs } from '../../lib/format.ts'
import type { LabState } from '../../lib/lab/use-measurements.ts'
import css from './lab-figures.module.css'

const VERDICTS: Readonly<Record<string, string>> = {
  HIT: 'from the cache',
  MISS: 'made for this request',
  STALE: 'from the cache, refreshed behind',
  FALLBACK: 'a wider one, the encoders are busy',
}

interface LabFiguresProps {
  state: LabState
  originalBytes: number | undefined
  /** Address of the variant, to open or to copy. */
  variant: string
}

export function LabFigures({ state, originalBytes, variant }: LabFiguresProps) {
  const shown = state.kind === 'measured' ? state : state.kind === 'measuring' ? state.last : undefined
  const share = shown && originalBytes ? shown.bytes / originalBytes : undefined
  const verdict = shown?.verdict ?? ''
  return (
    <section aria-label="Figures" className={css.section}>
      <dl className={css.figures} aria-busy={state.kind === 'measuring'}>
        <Figure
          term="Bytes"
          value={shown ? formatBytes(shown.bytes) : '–'}
          note={share === undefined ? ' ' : `${formatShare(share)} of ${formatBytes(originalBytes ?? 0)}`}
        />
        <Figure term="Time" value={shown ? formatMs(shown.ms) : '–'} note={shown ? phasesOf(shown.phases) : ' '} />
        <Figure term="Cache" value={verdict || '–'} note={VERDICTS[verdict] ?? ' '} tone={verdict.toLowerCase()} />
        <Figure
          term="Format"
          value={shown ? shown.type.replace('image/', '').toUpperCase() : '–'}
          note={shown?.width ? `${shown.width} × ${shown.height}` : ' '}
        />
      </dl>
      <p className={css.address}>
        <a href={variant}>
          <code>{variant}</code>
        </a>
      </p>
    </section>
  )
}

interface FigureProps {
  term: string
  value: string
  note: string
  tone?: string
}

function Figure({ term, value, note, tone = '' }: FigureProps) {
  return (
    <div className={css.figure} data-tone={tone}>
      <dt className="label">{term}</dt>
      <dd>
        <span className={css.value}>{value}</span>
        <span className={css.note}>{note}</span>
      </dd>
    </div>
  )
}

function formatShare(share: number): string {
  return share < 0.1 ? `${(share * 100).toFixed(1)} %` : `${Math.round(share * 100)} %`
}

/** The two that took longest; all of them are a developer's matter. */
function phasesOf(phases: { name: string; ms: number }[]): string {
  const longest = [...phases].sort((left, right) => right.ms - left.ms).slice(0, 2)
  return longest.map(({ name, ms }) => `${name} ${formatMs(ms)}`).join(', ') || ' '
}
