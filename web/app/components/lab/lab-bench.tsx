// The lab's bench: the choice in the address, its variant, the comparison and the figures.

import { useImageUrl, useRouter, useSearchParams } from 'portico'
import {
  isSitePath,
  LAB_FORMATS,
  type LabChoice,
  labHref,
  localSource,
  parseLabChoice,
} from '../../lib/lab/lab-choice.ts'
import { useMeasurements } from '../../lib/lab/use-measurements.ts'
import css from './lab-bench.module.css'
import { LabCompare } from './lab-compare.tsx'
import { LabControls, type LabImage } from './lab-controls.tsx'
import { LabFigures } from './lab-figures.tsx'
import { LabTimings } from './lab-timings.tsx'

/** Widest and best variant: represents an original that is not a file of this site. */
const ORIGINAL = { width: 3840, quality: 95 }

/** `origin` is the site's own, so that its full addresses may be pasted. */
export function LabBench({ origin, images }: { origin: string; images: LabImage[] }) {
  const router = useRouter()
  const imageUrl = useImageUrl()
  const slugs = images.map(({ slug }) => slug)
  const choice = parseLabChoice(useSearchParams(), slugs, slugs[0] ?? '')
  const image = images.find(({ slug }) => slug === choice.picture)
  const source = choice.url === '' ? (image?.src ?? '') : localSource(choice.url, origin)
  const variant = imageUrl(source, choice.width, choice.quality)
  const original = isSitePath(source) ? source : imageUrl(source, ORIGINAL.width, ORIGINAL.quality)
  const accept = LAB_FORMATS.find(({ value }) => value === choice.format)?.accept ?? '*/*'
  const { state, recent, originalBytes, again } = useMeasurements({ variant, original, accept })
  const name = choice.url === '' ? (image?.name ?? '') : 'the pasted picture'

  const change = (next: LabChoice) => void router.replace(labHref(next), undefined, { scroll: false, shallow: true })

  return (
    <div className={css.bench}>
      <LabControls
        choice={choice}
        images={images}
        onChange={change}
        onAgain={again}
        canRepeat={state.kind !== 'idle'}
        isBusy={state.kind === 'measuring'}
      />
      <div className={css.results}>
        <LabCompare
          original={original}
          variant={variant}
          state={state}
          name={name}
          placeholder={choice.url === '' ? image?.placeholder : undefined}
        />
        <LabFigures state={state} originalBytes={originalBytes} variant={variant} />
        <LabTimings recent={recent} />
      </div>
    </div>
  )
}
