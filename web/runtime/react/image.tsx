// Image: sizes and formats from the images service, no layout shift, lazy by default (I10).

import type { CSSProperties, ImgHTMLAttributes } from 'react'
import { preload } from 'react-dom'
import { DEFAULT_IMAGE_QUALITY, PREFIX_SEGMENT } from '../../../services/shared/wire/constants.ts'
import { imageUrl } from '../../../services/shared/wire/urls.ts'
import type { StaticImage } from './page-types.ts'
import { withBasePath } from './router-context.ts'
import { type SiteRuntime, useRuntime } from './runtime-context.ts'

export type ImageLoader = (request: { src: string; width: number; quality: number }) => string

export interface ImageProps
  extends Omit<
    ImgHTMLAttributes<HTMLImageElement>,
    'src' | 'srcSet' | 'width' | 'height' | 'alt' | 'loading' | 'placeholder'
  > {
  /** A path of this site, an absolute URL that `images.remotePatterns` allows, or an imported picture. */
  src: string | StaticImage
  alt: string
  width?: number
  height?: number
  sizes?: string
  quality?: number
  /** The picture matters for the first impression: preloaded, eager, fetched first. */
  priority?: boolean
  /** Fills the nearest positioned ancestor instead of having a size. */
  fill?: boolean
  placeholder?: 'blur' | 'empty' | `data:image/${string}`
  blurDataURL?: string
  loading?: 'lazy' | 'eager'
  loader?: ImageLoader
  /** Serves the source as it is. */
  unoptimized?: boolean
}

export function Image(props: ImageProps) {
  const {
    src: given,
    alt,
    width,
    height,
    sizes,
    quality,
    priority,
    fill,
    placeholder,
    blurDataURL,
    loading,
    loader,
    unoptimized,
    style,
    ...rest
  } = props
  const runtime = useRuntime()
  const picture: Partial<StaticImage> & { src: string } = typeof given === 'string' ? { src: given } : given
  const box = fill ? {} : boxOf(picture, width, height)
  if (!fill && (box.width === undefined || box.height === undefined))
    throw new Error(
      `<Image src="${picture.src.slice(0, 100)}">: width and height are needed, or fill, or an imported picture`,
    )

  const address = addressOf(picture.src, runtime)
  const plain = unoptimized || /^(?:data|blob):/.test(picture.src) || (!loader && isOwnSvg(picture.src))
  const source = plain ? { src: address } : sourceSet(address, box.width, sizes, quality, loader, runtime)
  const blur = placeholder?.startsWith('data:')
    ? placeholder
    : placeholder === 'blur'
      ? (blurDataURL ?? picture.blurDataURL)
      : undefined
  if (priority)
    preload(source.src, {
      as: 'image',
      fetchPriority: 'high',
      // A preload that asks in another mode than the picture is thrown away, and the picture loaded twice.
      ...(rest.crossOrigin !== undefined && { crossOrigin: rest.crossOrigin }),
      ...(rest.referrerPolicy !== undefined && { referrerPolicy: rest.referrerPolicy }),
      ...(source.srcSet && { imageSrcSet: source.srcSet }),
      ...(source.sizes && { imageSizes: source.sizes }),
    })
  return (
    <img
      decoding="async"
      {...rest}
      {...box}
      alt={alt}
      loading={priority ? 'eager' : (loading ?? 'lazy')}
      {...(priority && { fetchPriority: 'high' as const })}
      style={styleOf(fill, blur, style)}
      {...(source.sizes && { sizes: source.sizes })}
      {...(source.srcSet && { srcSet: source.srcSet })}
      src={source.src}
    />
  )
}

/**
 * Makes addresses of variants for what is no `<Image>`: an Open Graph picture, a link, a fetch. `width` must be one of
 * the configured widths; the nearest configured quality is taken.
 */
export function useImageUrl(): (src: string, width: number, quality?: number) => string {
  const runtime = useRuntime()
  return (src, width, quality = DEFAULT_IMAGE_QUALITY) =>
    imageUrl(runtime.basePath, addressOf(src, runtime), width, nearestQuality(quality, runtime.images.qualities))
}

function boxOf(picture: Partial<StaticImage>, width?: number, height?: number): { width?: number; height?: number } {
  const ratio = picture.width && picture.height ? picture.height / picture.width : undefined
  const w = width ?? (height && ratio ? Math.round(height / ratio) : picture.width)
  const h = height ?? (width && ratio ? Math.round(width * ratio) : picture.height)
  return { ...(w !== undefined && { width: w }), ...(h !== undefined && { height: h }) }
}

/** Sharp at every width as it is: the images service would only refuse it or pass it on. */
function isOwnSvg(src: string): boolean {
  return /^\/(?!\/)[^?#]*\.svg(?:[?#]|$)/i.test(src)
}

function addressOf(src: string, runtime: SiteRuntime): string {
  const isOurs = src.startsWith(`${runtime.basePath}/${PREFIX_SEGMENT}/`)
  return isOurs ? src : withBasePath(src, runtime.basePath)
}

interface SourceSet {
  src: string
  srcSet?: string
  sizes?: string
}

function sourceSet(
  address: string,
  width: number | undefined,
  sizes: string | undefined,
  quality: number | undefined,
  loader: ImageLoader | undefined,
  runtime: SiteRuntime,
): SourceSet {
  const { deviceSizes, imageSizes, qualities } = runtime.images
  const nearest = nearestQuality(quality ?? DEFAULT_IMAGE_QUALITY, qualities)
  const urlOf = (w: number) =>
    loader
      ? loader({ src: address, width: w, quality: quality ?? nearest })
      : imageUrl(runtime.basePath, address, w, nearest)
  if (width === undefined || sizes) {
    const widths = fluidWidths(sizes, [...imageSizes, ...deviceSizes].sort(ascending), deviceSizes)
    return {
      src: urlOf(widths.at(-1)!),
      srcSet: widths.map((w) => `${urlOf(w)} ${w}w`).join(', '),
      sizes: sizes ?? '100vw',
    }
  }
  const all = [...imageSizes, ...deviceSizes].sort(ascending)
  const once = all.find((w) => w >= width) ?? all.at(-1)!
  const twice = all.find((w) => w >= width * 2) ?? all.at(-1)!
  const widths = [...new Set([once, twice])]
  return { src: urlOf(widths.at(-1)!), srcSet: widths.map((w, index) => `${urlOf(w)} ${index + 1}x`).join(', ') }
}

/** With `vw` in sizes only the widths that the smallest share of the smallest screen can need, and all wider ones. */
function fluidWidths(sizes: string | undefined, all: number[], deviceSizes: readonly number[]): readonly number[] {
  const shares = [...(sizes ?? '100vw').matchAll(/(?:^|\s|calc\()(1?\d?\d)vw/g)].map((match) => Number(match[1]))
  if (shares.length === 0) return all
  const least = (deviceSizes[0]! * Math.min(...shares)) / 100
  return all.filter((w) => w >= least)
}

function nearestQuality(wanted: number, allowed: readonly number[]): number {
  return allowed.reduce((best, each) => (Math.abs(each - wanted) < Math.abs(best - wanted) ? each : best), allowed[0]!)
}

function ascending(left: number, right: number): number {
  return left - right
}

function styleOf(fill: boolean | undefined, blur: string | undefined, style: CSSProperties | undefined): CSSProperties {
  return {
    ...(fill && { position: 'absolute', inset: 0, width: '100%', height: '100%' }),
    // The picture paints over its placeholder, so nothing has to be taken away when it arrives.
    ...(blur && { backgroundImage: `url("${blur}")`, backgroundSize: 'cover', backgroundPosition: 'center' }),
    ...style,
  }
}
