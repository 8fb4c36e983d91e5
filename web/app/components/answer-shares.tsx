// How picture requests were answered since the figures began, as one bar with its legend.

import type { StackStatus } from '../lib/status.ts'
import css from './answer-shares.module.css'

const KINDS = [
  { kind: 'hit', label: 'hit' },
  { kind: 'stale', label: 'stale' },
  { kind: 'miss', label: 'made' },
  { kind: 'fallback', label: 'wider' },
  { kind: 'failed', label: 'failed' },
] as const

export function AnswerShares({ answers }: { answers: StackStatus['images']['answers'] }) {
  const total = Math.max(
    1,
    Object.values(answers).reduce((sum, count) => sum + count, 0),
  )
  return (
    <div className={css.shares}>
      <div className={css.bar} aria-hidden="true">
        {KINDS.map(({ kind }) => (
          <i key={kind} data-kind={kind} style={{ width: `${(100 * answers[kind]) / total}%` }} />
        ))}
      </div>
      <ul>
        {KINDS.map(({ kind, label }) => (
          <li key={kind} data-kind={kind}>
            {answers[kind].toLocaleString('en-GB')} {label}
          </li>
        ))}
      </ul>
    </div>
  )
}
