// `next/image` over Image of portico: the props of Next.js, and what its styles and scripts find (X1).

import {
  type ComponentProps,
  type CSSProperties,
  type ImgHTMLAttributes,
  type Ref,
  type SyntheticEvent,
  useCallback,
  useState,
} from 'react'
import { Image as PorticoImage, type ImageProps as PorticoProps } from '../react/image.tsx'
import { assignRef } from '../react/link.tsx'
import type { StaticImage } from '../react/page-types.ts'
import { useRuntime } from '../react/router-context.ts'

export interface StaticImageData extends StaticImage {
  blurWidth?: number
  blurHeight?: number
}
export type StaticImport = StaticImageData | { default: StaticImageData }
export interface ImageLoaderProps {
  src: string
  width: number
  quality?: number
}
export type ImageLoader = (request: ImageLoaderProps) => string

/** The props of `Image`. */
export interface ImageProps
  extends Omit<ComponentProps<'img'>, 'src' | 'srcSet' | 'alt' | 'width' | 'height' | 'loading' | 'ref'> {
  src: string | StaticImport
  alt: string
  width?: number | `${number}` | undefined
  height?: number | `${number}` | undefined
  fill?: boolean | undefined
  loader?: ImageLoader | undefined
  quality?: number | `${number}` | undefined
  priority?: boolean | undefined
  /** The newer name of `priority`. */
  preload?: boolean | undefined
  loading?: 'eager' | 'lazy' | undefined
  placeholder?: PorticoProps['placeholder'] | undefined
  blurDataURL?: string | undefined
  unoptimized?: boolean | undefined
  overrideSrc?: string | undefined
  /** The older form of `onLoad`. */
  onLoadingComplete?: ((image: HTMLImageElement) => void) | undefined
  layout?: 'intrinsic' | 'responsive' | 'fill' | 'fixed' | undefined
  objectFit?: CSSProperties['objectFit'] | undefined
  objectPosition?: CSSProperties['objectPosition'] | undefined
  lazyBoundary?: string | undefined
  lazyRoot?: unknown
  ref?: Ref<HTMLImageElement> | undefined
}

/** An image whose variants the images service makes. */
export default function Image({ onLoad, onLoadingComplete, ref, ...props }: ImageProps) {
  const [hasFailed, setHasFailed] = useState(false)
  // The attributes are made from contexts, by a function that is a component.
  const attributes = useAttributes(hasFailed ? props : withHiddenText(props))
  const report = (event: SyntheticEvent<HTMLImageElement>) => {
    onLoad?.(event)
    onLoadingComplete?.(event.currentTarget)
  }
  const fail = (event: SyntheticEvent<HTMLImageElement>) => {
    setHasFailed(true)
    props.onError?.(event)
  }
  const hasHandler = onLoad !== undefined || onLoadingComplete !== undefined
  const repeats = hasHandler || props.onError !== undefined
  const attach = useCallback(
    (image: HTMLImageElement | null) => {
      // An image that was loaded before hydration sends no event to React: setting its address repeats the event.
      // biome-ignore lint/correctness/noSelfAssign: the assignment loads the image again, from memory.
      if (image?.complete && repeats) image.src = image.src
      return ref ? assignRef(ref, image) : undefined
    },
    [ref, repeats],
  )
  // biome-ignore lint/a11y/useAltText: `alt` is among the attributes.
  return <img {...attributes} ref={attach} onError={fail} {...(hasHandler && { onLoad: report })} />
}

/** The attributes of an image, for `<picture>` and backgrounds. Call it while a component renders. */
export function getImageProps({ priority, preload, ...props }: ImageProps): {
  props: ImgHTMLAttributes<HTMLImageElement>
} {
  const isFirst = priority || preload
  const eager = { loading: 'eager' as const, fetchPriority: 'high' as const }
  // biome-ignore lint/correctness/useHookAtTopLevel: contexts may be read in any order.
  return { props: useAttributes(withHiddenText({ ...props, ...(isFirst && eager) })) }
}

/** The alternative text does not show through while the image loads. */
function withHiddenText<T extends { style?: CSSProperties | undefined }>(props: T): T {
  return { ...props, style: { color: 'transparent', ...props.style } }
}

type Attributes = ImgHTMLAttributes<HTMLImageElement> & { 'data-nimg'?: string }

function useAttributes(props: Omit<ImageProps, 'ref' | 'onLoadingComplete'>): Attributes {
  const { overrideSrc, layout, fill = layout === 'fill' } = props
  const { unoptimized = props.unoptimized } = useRuntime().images
  const element = PorticoImage(porticoProps({ ...props, unoptimized }))
  // The cast: the component renders one <img>.
  const attributes = element.props as Attributes
  return {
    ...attributes,
    ...(overrideSrc && { src: overrideSrc }),
    'data-nimg': fill ? 'fill' : '1',
  }
}

const LAYOUT_STYLES: Readonly<Record<string, CSSProperties>> = {
  intrinsic: { maxWidth: '100%', height: 'auto' },
  responsive: { width: '100%', height: 'auto' },
}

function porticoProps(props: Omit<ImageProps, 'ref' | 'onLoadingComplete'>): PorticoProps {
  const { src, width, height, quality, fill, priority, preload, loader, layout, objectFit, objectPosition, style } =
    props
  const { lazyBoundary: _b, lazyRoot: _r, overrideSrc: _o, sizes, ...rest } = props
  const shown = sizes ?? (layout === 'responsive' ? '100vw' : undefined)
  const { preload: _p, layout: _l, objectFit: _f, objectPosition: _op, ...own } = rest
  const image = typeof src === 'string' ? src : 'default' in src ? src.default : src
  return defined({
    ...own,
    src: image,
    width: numberOf(width),
    height: numberOf(height),
    quality: numberOf(quality),
    sizes: shown,
    fill: fill || layout === 'fill',
    priority: priority || preload,
    loader,
    style: {
      ...(layout && LAYOUT_STYLES[layout]),
      ...(objectFit && { objectFit }),
      ...(objectPosition !== undefined && { objectPosition }),
      ...style,
    },
  })
}

/** Without the members that are undefined. */
function defined(props: { [Name in keyof PorticoProps]: PorticoProps[Name] | undefined }): PorticoProps {
  // The cast: what is required was given.
  return Object.fromEntries(Object.entries(props).filter(([, value]) => value !== undefined)) as unknown as PorticoProps
}

function numberOf(value: number | string | undefined): number | undefined {
  const number = Number(value)
  return value === undefined || Number.isNaN(number) ? undefined : number
}
