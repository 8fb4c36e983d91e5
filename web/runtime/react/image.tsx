// Image: sizes and formats from the images service, no layout shift, lazy by default (I10).

import { DEFAULT_IMAGE_QUALITY, PREFIX_SEGMENT } from '@portico/shared/wire/constants.ts'
import { nearestQuality } from '@portico/shared/wire/image-sources.ts'
import { imageUrl } from '@portico/shared/wire/routing/urls.ts'
import type { CSSProperties, ImgHTMLAttributes } from 'react'
import { preload } from 'react-dom'
import type { StaticImage } from './page-types.ts'
import { type SiteRuntime, useRuntime, withBasePath } from './router-context.ts'

/** Returns the URL of a variant, for images that another service resizes. `width` is in pixels, `quality` is 1 to 100. */
export type ImageLoader = (request: { src: string; width: number; quality: number }) => string

/** The props of `Image`: those of `<img>`, with `srcSet` made from `src`, `width` and `sizes`. */
export interface ImageProps
  extends Omit<
    ImgHTMLAttributes<HTMLImageElement>,
    'src' | 'srcSet' | 'width' | 'height' | 'alt' | 'loading' | 'placeholder'
  > {
  /** A path of this site, an absolute URL that `images.remotePatterns` allows, or an imported image. */
  src: string | StaticImage
  alt: string
  /** CSS pixels. Required with `height`, unless `fill` is set or `src` is an imported image. */
  width?: number
  height?: number
  /** The widths of the image in the layout; without it `srcSet` has the widths for one and two device pixels. */
  sizes?: string
  /** 1 to 100; the nearest quality of the config is used (default 75). */
  quality?: number
  /** For the largest image of the first screen: preloaded, loaded eagerly, with high priority. */
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

/**
 * An `<img>` whose variants the images service makes: widths and qualities of the config, AVIF or WebP where the browser
 * accepts them. It loads lazily and reserves its space. Throws without a size, unless `fill` is set or `src` is an
 * imported image.
 *
 * @example
 * ```tsx
 * // components/hero.tsx
 * import { Image } from 'portico'
 *
 * export function Hero() {
 *   return <Image src="/landscapes/harbour.jpg" alt="The harbour" width={1200} height={600} sizes="100vw" priority />
 * }
 * ```
 */
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
  const image: Partial<StaticImage> & { src: string } = typeof given === 'string' ? { src: given } : given
  const box = fill ? {} : boxOf(image, width, height)
  if (!fill && (box.width === undefined || box.height === undefined))
    throw new Error(
      `<Image src="${image.src.slice(0, 100)}">: width and height are needed, or fill, or an imported image`,
    )

  const address = addressOf(image.src, runtime)
  const plain = unoptimized || /^(?:data|blob):/.test(image.src) || (!loader && isOwnSvg(image.src))
  const source = plain ? { src: address } : sourceSet(address, box.width, sizes, quality, loader, runtime)
  const blur = placeholder?.startsWith('data:')
    ? placeholder
    : placeholder === 'blur'
      ? (blurDataURL ?? image.blurDataURL)
      : undefined
  if (priority)
    preload(source.src, {
      as: 'image',
      fetchPriority: 'high',
      // The browser discards a preload with another mode than the image, and loads the image twice.
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
 * Returns a function that makes the URL of a variant, for other uses than `<Image>`: an Open Graph image, a link, a fetch.
 * `width`, in pixels, must be one of the configured widths; the nearest configured quality is used.
 *
 * @example
 * ```tsx
 * // components/share-image.tsx
 * import { useImageUrl } from 'portico'
 *
 * export function ShareImage({ src }: { src: string }) {
 *   const imageUrl = useImageUrl()
 *   return <meta property="og:image" content={`https://example.org${imageUrl(src, 1200)}`} />
 * }
 * ```
 */
export function useImageUrl(): (src: string, width: number, quality?: number) => string {
  const runtime = useRuntime()
  return (src, width, quality = DEFAULT_IMAGE_QUALITY) =>
    imageUrl(runtime.basePath, addressOf(src, runtime), width, nearestQuality(quality, runtime.images.qualities))
}

function boxOf(image: Partial<StaticImage>, width?: number, height?: number): { width?: number; height?: number } {
  const ratio = image.width && image.height ? image.height / image.width : undefined
  const w = width ?? (height && ratio ? Math.round(height / ratio) : image.width)
  const h = height ?? (width && ratio ? Math.round(width * ratio) : image.height)
  return { ...(w !== undefined && { width: w }), ...(h !== undefined && { height: h }) }
}

/** An SVG is sharp at every width: the images service would reject it or pass it on. */
function isOwnSvg(src: string): boolean {
  return /^\/(?!\/)[^?#]*\.svg(?:[?#]|$)/i.test(src)
}

function addressOf(src: string, runtime: SiteRuntime): string {
  // The address of an imported image is whole: with basePath, or with assetPrefix in its place.
  const isOurs = src.includes(`/${PREFIX_SEGMENT}/`)
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

/** With `vw` in `sizes`: only widths from the smallest share of the smallest screen upwards. */
function fluidWidths(sizes: string | undefined, all: number[], deviceSizes: readonly number[]): readonly number[] {
  const shares = [...(sizes ?? '100vw').matchAll(/(?:^|\s|calc\()(1?\d?\d)vw/g)].map((match) => Number(match[1]))
  if (shares.length === 0) return all
  const least = (deviceSizes[0]! * Math.min(...shares)) / 100
  return all.filter((w) => w >= least)
}

function ascending(left: number, right: number): number {
  return left - right
}

function styleOf(fill: boolean | undefined, blur: string | undefined, style: CSSProperties | undefined): CSSProperties {
  return {
    ...(fill && { position: 'absolute', inset: 0, width: '100%', height: '100%' }),
    // The image covers its placeholder, so the placeholder needs no removal.
    ...(blur && { backgroundImage: `url("${blur}")`, backgroundSize: 'cover', backgroundPosition: 'center' }),
    ...style,
  }
}
