// Link: a plain anchor that becomes a client transition where that is what the visitor asked for (N1).

import { type AnchorHTMLAttributes, type MouseEvent, type Ref, useCallback } from 'react'
import type { Href } from './href.ts'
import { addressIn, useRouterState } from './router-context.ts'
import { useRuntime } from './runtime-context.ts'

export interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  href: Href
  replace?: boolean
  scroll?: boolean
  shallow?: boolean
  /** false: never; 'intent': on hover, focus or touch only; default: also while in view. */
  prefetch?: boolean | 'intent'
  ref?: Ref<HTMLAnchorElement>
}

export function Link(props: LinkProps) {
  const { href, replace, scroll, shallow, prefetch, ref, onClick, onPointerEnter, onFocus, onTouchStart, ...rest } =
    props
  const { links } = useRouterState()
  const target = addressIn(useRuntime(), href)

  const attach = useCallback(
    (node: HTMLAnchorElement | null) => {
      const release = assignRef(ref, node)
      const forget = node && prefetch !== false && prefetch !== 'intent' ? links?.observe(node, target) : undefined
      return () => {
        forget?.()
        release()
      }
    },
    [links, target, prefetch, ref],
  )
  const intend = () => {
    if (prefetch !== false) links?.intend(target)
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

/** Modifier keys, other buttons, targets and downloads are the browser's. */
function isForBrowser(event: MouseEvent, { target, download }: AnchorHTMLAttributes<HTMLAnchorElement>): boolean {
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

function assignRef<T>(ref: Ref<T> | undefined, value: T | null): () => void {
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
