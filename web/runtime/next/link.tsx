// `next/link`: an anchor, or the child that is given, whose plain clicks become client transitions (X2).

import {
  type AnchorHTMLAttributes,
  Children,
  cloneElement,
  createElement,
  isValidElement,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  type Ref,
  useCallback,
} from 'react'
import { assignRef, isForBrowser } from '../react/link.tsx'
import { localHref } from '../react/locale-paths.ts'
import { addressIn, useRouterState, useRuntime } from '../react/router-context.ts'
import { isCode, navigateOptions, siteTarget } from './next-router.ts'
import { targetOf, type Url, type UrlTarget } from './urls.ts'

/** The argument of `onNavigate`. */
export interface OnNavigateEvent {
  preventDefault(): void
}

/** The props of `Link`: those of `<a>`, and how to navigate. */
export interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  href: Url
  /** The address in the address bar, where that is not the one of `href`. */
  as?: Url | undefined
  replace?: boolean | undefined
  /** false keeps the scroll position. */
  scroll?: boolean | undefined
  /** Changes the address without a request for page data, on the same page. */
  shallow?: boolean | undefined
  /** false: on hover and touch only. */
  prefetch?: boolean | 'auto' | null | undefined
  /** That of the target, in a site with `i18n`. false: `href` as it is written. Default: the locale of the page. */
  locale?: string | false | undefined
  /** The one child is the link. */
  legacyBehavior?: boolean | undefined
  /** With `legacyBehavior`: gives `href` to a child that is no `<a>`. */
  passHref?: boolean | undefined
  /** Called before a client transition; `preventDefault()` ends it. */
  onNavigate?: ((event: OnNavigateEvent) => void) | undefined
  ref?: Ref<HTMLAnchorElement> | undefined
}

/** The anchor's own props, and those that the link adds to its child. */
interface Parts {
  anchor: AnchorHTMLAttributes<HTMLAnchorElement>
  added: {
    href: string
    ref: (node: HTMLAnchorElement | null) => () => void
    onClick: (event: MouseEvent<HTMLAnchorElement>) => void
    onMouseEnter: (event: MouseEvent<HTMLAnchorElement>) => void
    onTouchStart: NonNullable<LinkProps['onTouchStart']>
  }
  children: ReactNode
}

export default function Link(props: LinkProps): ReactElement {
  const { anchor, added, children } = useLink(props)
  if (!props.legacyBehavior) {
    // As in Next.js: a build renders an anchor in an anchor, and names the place (web/build/next/plugins/link-anchors).
    if (process.env.NODE_ENV === 'development' && isValidElement(children) && children.type === 'a')
      throw atElement(
        new Error('Invalid <Link> with <a> child. Please remove <a> or use <Link legacyBehavior>.'),
        children,
      )
    return (
      <a {...anchor} {...added}>
        {children}
      </a>
    )
  }
  const child = onlyChild(children)
  const { ref, href, ...events } = added
  const own = child.props
  const isAnchor = child.type === 'a' && own.href === undefined
  return cloneElement(child, {
    ...(props.passHref || isAnchor ? { href } : {}),
    ref: joinRefs(ref, own.ref),
    onClick: chain(own.onClick, events.onClick),
    onMouseEnter: chain(own.onMouseEnter, events.onMouseEnter),
    onTouchStart: chain(own.onTouchStart, events.onTouchStart),
  })
}

/** In development: with the stack of the element, which React keeps, in the place of that of React’s own functions. */
function atElement(error: Error, element: ReactElement): Error {
  const { _debugStack: made } = element as { _debugStack?: Error }
  const [, ...lines] = made?.stack?.split('\n') ?? []
  if (lines.length > 0) error.stack = [`Error: ${error.message}`, ...lines].join('\n')
  return error
}

function useLink(props: LinkProps): Parts {
  const { href, as, replace, scroll, shallow, prefetch, locale, legacyBehavior: _l, passHref: _p, onNavigate } = props
  const { onNavigate: _n, ref, children, onClick, onMouseEnter, onTouchStart, ...rest } = without(props)
  const { links, router } = useRouterState()
  const runtime = useRuntime()
  const { address, from } = siteTarget(linkTarget(href, as, router), runtime, locale)
  const target = addressIn(runtime, process.env.PORTICO_I18N ? localHref(runtime, address, locale) : address)
  const page = from ?? target
  const isSeen = prefetch !== false
  const attach = useCallback(
    (node: HTMLAnchorElement | null) => {
      const release = ref ? assignRef(ref, node) : undefined
      const forget = node && isSeen ? links?.observe(node, page) : undefined
      return () => {
        forget?.()
        release?.()
      }
    },
    [links, page, isSeen, ref],
  )
  const click = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    // A child of `legacyBehavior` may be any element, but only an anchor is followed by browsers.
    if (!links || event.defaultPrevented || isForBrowser(event, attributesOf(event.currentTarget, rest))) return
    let isPrevented = false
    if (isInside(target)) {
      onNavigate?.({
        preventDefault: () => {
          isPrevented = true
        },
      })
    }
    const options = { ...navigateOptions({ scroll: scroll ?? true, shallow, locale }, from) }
    if (isPrevented || links.follow(target, { ...options, ...(replace && { replace }) })) event.preventDefault()
    else if (!(event.currentTarget instanceof HTMLAnchorElement) && !isCode(target)) location.assign(target)
  }
  return {
    anchor: rest,
    children,
    added: {
      href: target,
      ref: attach,
      onClick: click,
      onMouseEnter(event) {
        onMouseEnter?.(event)
        links?.intend(page)
      },
      onTouchStart(event) {
        onTouchStart?.(event)
        links?.intend(page)
      },
    },
  }
}

/** A link whose pattern lacks a parameter is shown as it is, so that one wrong link does not fail the page. */
function linkTarget(href: Url, as: Url | undefined, place: Parameters<typeof targetOf>[2]): UrlTarget {
  try {
    return targetOf(href, as, place)
  } catch (error) {
    console.error(error)
    return targetOf('', undefined, place)
  }
}

function without(props: LinkProps) {
  const { href: _h, as: _a, replace: _r, scroll: _s, shallow: _sh, prefetch: _p, locale: _lo, ...rest } = props
  const { legacyBehavior: _l, passHref: _ph, ...own } = rest
  return own
}

function isInside(target: string): boolean {
  return new URL(target, location.href).origin === location.origin
}

/** `target` and `download` are those of the element: a child of `legacyBehavior` has its own. */
function attributesOf(element: Element, props: AnchorHTMLAttributes<HTMLAnchorElement>) {
  const attribute = (name: string) => element.getAttribute(name) ?? undefined
  return { ...props, target: attribute('target'), download: attribute('download') }
}

type AnyProps = Record<string, unknown> & { ref?: Ref<HTMLAnchorElement> }

function onlyChild(children: ReactNode): ReactElement<AnyProps> {
  // A text becomes an anchor.
  if (typeof children === 'string' || typeof children === 'number') return createElement<AnyProps>('a', null, children)
  try {
    return Children.only(children) as ReactElement<AnyProps>
  } catch {
    throw new Error('<Link legacyBehavior> needs exactly one child, which is the link')
  }
}

function joinRefs(own: Parts['added']['ref'], other: Ref<HTMLAnchorElement> | undefined): Parts['added']['ref'] {
  return (node) => {
    const releases = [own(node), other ? assignRef(other, node) : undefined]
    return () => {
      for (const release of releases) release?.()
    }
  }
}

function chain<E>(first: unknown, second: (event: E) => void): (event: E) => void {
  return (event) => {
    if (typeof first === 'function') first(event)
    second(event)
  }
}

/** Whether a navigation of the nearest link is in progress: pages report theirs through the events of the router. */
export function useLinkStatus(): { pending: boolean } {
  return { pending: false }
}
