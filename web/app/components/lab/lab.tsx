// The comparison of formats: one plate in AVIF, WebP and JPEG, their bytes, and two of them on one sheet. Without
// JavaScript the sheet has the image in the format that the browser prefers.

import { useImageUrl, useRouter, useSearchParams } from 'portico'
import { type ChangeEvent, type CSSProperties, useEffect, useState } from 'react'
import { formatBytes, formatMs } from '../../lib/format.ts'
import {
  LAB_FORMATS,
  type LabChoice,
  type LabFormat,
  pageLoaded,
  parseLabChoice,
  type ReceivedImage,
  receiveImage,
} from '../../lib/lab/lab.ts'
import { IMAGE_QUALITIES, IMAGE_WIDTHS } from '../../lib/site/image-choices.ts'
import css from './lab.module.css'

interface LabImage {
  slug: string
  name: string
  src: string
  placeholder: string
}

type Received = Partial<Record<LabFormat, ReceivedImage | 'failed'>>

export function Lab({ images }: { images: LabImage[] }) {
  const imageUrl = useImageUrl()
  const choice = parseLabChoice(
    useSearchParams(),
    images.map(({ slug }) => slug),
  )
  const image = images.find(({ slug }) => slug === choice.picture)
  const url = imageUrl(image?.src ?? '', choice.width, choice.quality)
  const received = useReceived(url)
  const [format, setFormat] = useState<LabFormat>('avif')
  return (
    <div className={css.lab}>
      <Controls choice={choice} images={images} />
      <div className={css.results}>
        <Sheet url={url} image={image} jpeg={received.jpeg} other={received[format]} format={format} />
        <Formats received={received} format={format} onChange={setFormat} />
      </div>
    </div>
  )
}

/** The image of an address in every format. */
function useReceived(url: string): Received {
  const [received, setReceived] = useState<Received>({})
  useEffect(() => {
    const controller = new AbortController()
    const objectUrls: string[] = []
    setReceived({})
    for (const { format, accept } of LAB_FORMATS)
      pageLoaded()
        .then(() => receiveImage(url, accept, controller.signal))
        .catch(() => 'failed' as const)
        .then((outcome) => {
          if (outcome !== 'failed') objectUrls.push(outcome.objectUrl)
          if (!controller.signal.aborted) setReceived((others) => ({ ...others, [format]: outcome }))
        })
    return () => {
      controller.abort()
      for (const each of objectUrls) URL.revokeObjectURL(each)
    }
  }, [url])
  return received
}

/** A GET form with a button; with JavaScript every change applies immediately. */
function Controls({ choice, images }: { choice: LabChoice; images: LabImage[] }) {
  const router = useRouter()
  const apply = ({ target }: ChangeEvent<HTMLSelectElement>) => {
    const query = new URLSearchParams([...new FormData(target.form!)].map(([name, value]) => [name, String(value)]))
    void router.replace(`/lab?${query}`, undefined, { scroll: false, shallow: true })
  }
  const fields = [
    { label: 'Plate', name: 'picture', value: choice.picture, options: images.map(({ slug, name }) => [slug, name]) },
    { label: 'Width', name: 'w', value: choice.width, options: IMAGE_WIDTHS.map((each) => [each, `${each} pixels`]) },
    { label: 'Quality', name: 'q', value: choice.quality, options: IMAGE_QUALITIES.map((each) => [each, each]) },
  ]
  return (
    <form action="/lab" method="get" className={css.controls} aria-label="Choose an image">
      {fields.map(({ label, name, value, options }) => (
        <label key={name} className={css.field}>
          <span className="label">{label}</span>
          <select name={name} value={value} onChange={apply}>
            {options.map(([option, text]) => (
              <option key={option} value={option}>
                {text}
              </option>
            ))}
          </select>
        </label>
      ))}
      <noscript>
        <button type="submit" className={css.button}>
          Show it
        </button>
      </noscript>
    </form>
  )
}

interface SheetProps {
  url: string
  image: LabImage | undefined
  jpeg: Received['jpeg']
  other: Received[LabFormat]
  format: LabFormat
}

/** JPEG left of a border that moves, another format right of it. */
function Sheet({ url, image, jpeg, other, format }: SheetProps) {
  const [split, setSplit] = useState(50)
  const style: CSSProperties & Record<'--split', string> = {
    '--split': `${split}%`,
    backgroundImage: `url("${image?.placeholder}")`,
  }
  const isCompared = typeof jpeg === 'object' && typeof other === 'object'
  return (
    <div className={css.sheet} style={style}>
      <img
        key={url}
        src={isCompared ? jpeg.objectUrl : url}
        alt={image?.name}
        className={css.image}
        fetchPriority="high"
      />
      {isCompared ? (
        <>
          <img src={other.objectUrl} alt="" className={`${css.image} ${css.other}`} decoding="sync" />
          <span className={`label ${css.left}`}>JPEG</span>
          <span className={`label ${css.right}`}>{format.toUpperCase()}</span>
          <input
            className={css.range}
            type="range"
            value={split}
            onChange={({ target }) => setSplit(Number(target.value))}
            aria-label="Border between the formats"
            aria-valuetext={`${split} % JPEG`}
          />
          <span className={css.border} aria-hidden="true" />
        </>
      ) : null}
    </div>
  )
}

interface FormatsProps {
  received: Received
  format: LabFormat
  onChange: (format: LabFormat) => void
}

/** Bytes of each format next to those of JPEG; the chosen one is on the sheet. */
function Formats({ received, format: chosen, onChange }: FormatsProps) {
  const { jpeg } = received
  return (
    <fieldset className={css.formats}>
      <legend className="label">Compare JPEG with</legend>
      {LAB_FORMATS.map(({ format, label }) => {
        const image = received[format]
        const share = typeof image === 'object' && typeof jpeg === 'object' ? image.bytes / jpeg.bytes : undefined
        return (
          <label key={format} className={css.format} data-format={format}>
            <input type="radio" name="format" checked={format === chosen} onChange={() => onChange(format)} />
            <span>{label}</span>
            <span>{figuresOf(image, share)}</span>
            <span className={css.bar} style={{ inlineSize: `${Math.min(1, share ?? 0) * 100}%` }} aria-hidden="true" />
          </label>
        )
      })}
    </fieldset>
  )
}

function figuresOf(image: Received[LabFormat], share: number | undefined): string {
  if (image === undefined) return '–'
  if (image === 'failed') return 'did not arrive: try again in a moment'
  const percent = share === undefined || share === 1 ? '' : `, ${Math.round(share * 100)} % of JPEG`
  return `${formatBytes(image.bytes)} in ${formatMs(image.ms)}${percent}`
}
