// Original and variant on one sheet with a movable border: left of it the one, right of it the other.

import { type CSSProperties, useState } from 'react'
import type { LabState } from '../../lib/lab/use-measurements.ts'
import css from './lab-compare.module.css'

interface LabCompareProps {
  /** Addresses; the measured variant is shown from memory instead. */
  original: string
  variant: string
  state: LabState
  name: string
  placeholder?: string | undefined
}

export function LabCompare({ original, variant, state, name, placeholder }: LabCompareProps) {
  const [split, setSplit] = useState(50)
  const measured = state.kind === 'measured' ? state : state.kind === 'measuring' ? state.last : undefined
  const isBroken = state.kind === 'refused' || state.kind === 'failed'
  const style: CSSProperties & Record<'--split', string> = {
    '--split': `${split}%`,
    ...(placeholder && { backgroundImage: `url("${placeholder}")` }),
  }
  return (
    <figure className={css.figure}>
      <div className={css.sheet} style={style} aria-busy={state.kind === 'measuring'}>
        {isBroken ? null : (
          <>
            <img key={original} className={css.image} src={original} alt={`${name}, the original`} />
            {measured ? (
              <img
                className={`${css.image} ${css.variant}`}
                src={measured.objectUrl}
                alt={`${name}, the variant`}
                decoding="sync"
              />
            ) : (
              <noscript>
                <img className={`${css.image} ${css.variant}`} src={variant} alt={`${name}, the variant`} />
              </noscript>
            )}
            <span className={`label ${css.left}`}>Original</span>
            <span className={`label ${css.right}`}>Variant</span>
            <input
              className={state.kind === 'idle' ? css.unseen : css.range}
              type="range"
              min="0"
              max="100"
              value={split}
              onChange={({ target }) => setSplit(Number(target.value))}
              aria-label="Border between original and variant"
              aria-valuetext={`${split} % original`}
            />
            <span className={css.border} aria-hidden="true" />
          </>
        )}
        {isBroken ? <Refusal state={state} /> : null}
      </div>
    </figure>
  )
}

function Refusal({ state }: { state: Extract<LabState, { kind: 'refused' | 'failed' }> }) {
  return (
    <div className={css.refusal} role="alert">
      <p className="label">{state.kind === 'refused' ? `Refused: ${state.status}` : 'No answer'}</p>
      <p>
        {state.kind === 'refused'
          ? state.text.replace(/^\d{3} /, '')
          : 'The network did not answer. Try again in a moment.'}
      </p>
    </div>
  )
}
