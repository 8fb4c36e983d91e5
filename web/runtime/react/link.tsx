// Link: a plain anchor whose plain clicks become client transitions (N1).

import { type AnchorHTMLAttributes, type MouseEvent, type Ref, useCallback } from 'react'
import { localHref } from './locale-paths.ts'
import { addressIn, useRouterState, useRuntime } from './router-context.ts'
import type { Href } from './site-types.ts'

/** The props of `Link`: those of `<a>`, and how to navigate. */
export interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  href: Href
  /** Replaces the current history entry. */
  replace?: boolean
  /** false keeps the scroll position. */
  scroll?: boolean
  /** Changes query and hash without a request for page data. For another path it has no effect. */
  shallow?: boolean
  /** false: never; 'intent': on hover, focus or touch only; default: also while in view. */
  prefetch?: boolean | 'intent'
  /** In a site with locales: that of the target. false: `href` as it is written. Default: the locale of the page. */
  locale?: string | false
  ref?: Ref<HTMLAnchorElement>
}

/**
 * An anchor that navigates without a full load. Without JavaScript, with a modifier key, `target` or `download`, and for
 * other origins it is a plain link. A link in view prefetches code and page data of its target.
 *
 * @example
 * ```tsx
 * // components/menu.tsx
 * import { Link } from 'portico'
 *
 * export function Menu() {
 *   return (
 *     <nav>
 *       <Link href="/">Home</Link>
 *       <Link href="/about" prefetch="intent">About</Link>
 *     </nav>
 *   )
 * }
 * ```
 */
export function Link(props: LinkProps) {
  const { href, replace, scroll, shallow, prefetch, ref, onClick, onPointerEnter, onFocus, onTouchStart, ...rest } =
    props
  // The anchor has no such attribute.
  if (process.env.PORTICO_I18N) delete (rest as Pick<LinkProps, 'locale'>).locale
  const { links, router } = useRouterState()
  const runtime = useRuntime()
  const target = addressIn(runtime, process.env.PORTICO_I18N ? localHref(runtime, href, props.locale) : href)
  const path = pathOf(target)
  // A shallow move on the page that is shown loads nothing.
  const isMove =
    shallow &&
    (path === '' ||
      path === pathOf(addressIn(runtime, process.env.PORTICO_I18N ? localHref(runtime, router.asPath) : router.asPath)))
  const prefetches = !isMove && prefetch

  const attach = useCallback(
    (node: HTMLAnchorElement | null) => {
      const release = assignRef(ref, node)
      const forget = node && prefetches !== false && prefetches !== 'intent' ? links?.observe(node, target) : undefined
      return () => {
        forget?.()
        release()
      }
    },
    [links, target, prefetches, ref],
  )
  const intend = () => {
    if (prefetches !== false) links?.intend(target)
  }
  const click = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    if (!links || event.defaultPrevented || isForBrowser(event, rest)) return
    const options = { ...(replace && { replace }), ...(scroll === false && { scroll }), ...(shallow && { shallow }) }
    if (links.follow(target, options)) event.preventDefault()
  }
  return (
    <a
      {...rest}
      href={target}
      ref={attach}
      onClick={click}
      onPointerEnter={both(onPointerEnter, intend)}
      onFocus={both(onFocus, intend)}
      onTouchStart={both(onTouchStart, intend)}
    />
  )
}

function pathOf(address: string): string | undefined {
  return address.split(/[?#]/, 1)[0]
}

/** The browser handles modifier keys, other buttons, targets and downloads. */
export function isForBrowser(
  event: MouseEvent,
  { target, download }: AnchorHTMLAttributes<HTMLAnchorElement>,
): boolean {
  return (
    event.button !== 0 ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    event.altKey ||
    (target !== undefined && target !== '_self') ||
    download !== undefined
  )
}

function both<E>(first: ((event: E) => void) | undefined, second: () => void): (event: E) => void {
  return (event) => {
    first?.(event)
    second()
  }
}

/** Gives a value to a ref; returns the function that takes it back. */
export function assignRef<T>(ref: Ref<T> | undefined, value: T | null): () => void {
  if (typeof ref === 'function') {
    const release = ref(value)
    return typeof release === 'function' ? release : () => ref(null)
  }
  if (!ref) return () => {}
  ref.current = value
  return () => {
    ref.current = null
  }
}
