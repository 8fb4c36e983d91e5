// One place as a plate of the atlas: image, plate number, name. The whole plate is the link's target.

import { Image, Link } from 'portico'
import { ViewTransition } from 'react'
import { formatRoman } from '../../lib/format.ts'
import type { PlaceCard } from '../../lib/places/places.ts'
import { plateTransition } from '../../lib/places/transitions.ts'
import css from './plate.module.css'

interface PlateProps {
  place: PlaceCard
  /** The width of the whole image in the layout, for `sizes`: a plain frame shows five sixths of it. */
  sizes: string
  /** Rank of the heading in the page's outline. */
  heading?: 'h2' | 'h3'
  shape?: 'wide' | 'plain'
}

export function Plate({ place, sizes, heading: Heading = 'h3', shape = 'plain' }: PlateProps) {
  const { image } = place
  return (
    <article className={`${css.plate} ${shape === 'wide' ? css.wide : ''}`}>
      <ViewTransition {...plateTransition(place.slug)}>
        <div className={css.frame}>
          <Image
            className={css.image}
            src={image.src}
            width={image.width}
            height={image.height}
            alt=""
            sizes={sizes}
            placeholder="blur"
            blurDataURL={image.placeholder}
          />
        </div>
      </ViewTransition>
      <p className={`label ${css.number}`}>
        <span>Plate {formatRoman(place.plate)}</span>
        <span>{place.coordinates}</span>
      </p>
      <Heading className={css.name}>
        <Link href={`/places/${place.slug}`}>{place.name}</Link>
      </Heading>
      <p className={css.summary}>{place.summary}</p>
    </article>
  )
}
