// `next/legacy/image`: the image component of Next.js 12, with a wrapper and a layout (X1).

import type { CSSProperties, ReactNode } from 'react'
import Image, { type ImageProps as NextImageProps, type StaticImport } from './image.tsx'

export type { ImageLoader, ImageLoaderProps, StaticImageData } from './image.tsx'

/** The props of the image; without `layout` it is as large as its size, and no larger than its container. */
export type ImageProps = Omit<NextImageProps, 'fill' | 'overrideSrc' | 'preload'>

const CLIPPED: CSSProperties = { boxSizing: 'border-box', overflow: 'hidden' }
const ABSOLUTE: CSSProperties = { position: 'absolute', inset: 0, width: '100%', height: '100%', minWidth: '100%' }

export default function LegacyImage({ layout, objectFit, objectPosition, ...props }: ImageProps) {
  const size = sizeOf(props)
  const kind = layout ?? (size ? 'intrinsic' : 'fill')
  // The older component shows the alternative text while the image loads.
  const style = {
    color: undefined,
    ...props.style,
    ...(objectFit && { objectFit }),
    ...(objectPosition && { objectPosition }),
  }
  const image = { ...props, alt: props.alt ?? '' }
  if (kind === 'fixed')
    return (
      <span style={{ ...CLIPPED, display: 'inline-block', position: 'relative', ...size }}>
        <Image {...image} style={style} />
      </span>
    )
  if (kind === 'fill') {
    const { width: _w, height: _h, ...rest } = image
    return (
      <span style={{ ...CLIPPED, ...ABSOLUTE, display: 'block' }}>
        <Image {...rest} fill style={style} />
      </span>
    )
  }
  return <Sized {...image} kind={kind} style={style} />
}

interface SizedProps extends Omit<ImageProps, 'layout'> {
  kind: 'intrinsic' | 'responsive'
}

/** The wrapper has the ratio of the image, so that nothing moves when the image arrives. */
function Sized({ kind, ...props }: SizedProps): ReactNode {
  const size = sizeOf(props)
  const sizes = props.sizes ?? (kind === 'responsive' ? '100vw' : undefined)
  const wrapper: CSSProperties = {
    ...CLIPPED,
    display: kind === 'responsive' ? 'block' : 'inline-block',
    position: 'relative',
    ...(size && { aspectRatio: `${size.width} / ${size.height}` }),
    ...(kind === 'responsive' ? { width: '100%' } : { maxWidth: '100%', width: size?.width }),
  }
  return (
    <span style={wrapper}>
      <Image {...props} {...(sizes !== undefined && { sizes })} style={{ ...ABSOLUTE, ...props.style }} />
    </span>
  )
}

function sizeOf({ src, width, height }: Pick<ImageProps, 'src' | 'width' | 'height'>) {
  const own = imported(src)
  const [w, h] = [Number(width ?? own?.width), Number(height ?? own?.height)]
  return Number.isNaN(w) || Number.isNaN(h) ? undefined : { width: w, height: h }
}

function imported(src: string | StaticImport) {
  return typeof src === 'string' ? undefined : 'default' in src ? src.default : src
}
