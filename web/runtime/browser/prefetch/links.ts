// Prefetches for Link: pages whose links are in view or about to be clicked (P1).

import type { LinkHost } from '../../react/contexts/router-context.ts'
import type { BrowserRouter } from '../navigation/router.ts'

interface Connection {
  saveData?: boolean
  effectiveType?: string
}

export function createLinks(router: BrowserRouter): Pick<LinkHost, 'observe' | 'intend'> {
  const hrefs = new WeakMap<Element, string>()
  const idle = window.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 200))
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const url = hrefs.get(target)
      if (url === undefined) continue
      if (!isIntersecting) router.cancelPrefetch(url)
      // In development every module of a page is a separate request, made for the first time.
      else if (process.env.NODE_ENV !== 'development' && mayPrefetch())
        idle(() => void router.prefetch(url, 'view').catch(ignore))
    }
  })
  return {
    observe(element, href) {
      const url = localAddress(href)
      if (url === undefined) return () => {}
      hrefs.set(element, url)
      observer.observe(element)
      return () => {
        observer.unobserve(element)
        router.cancelPrefetch(url)
      }
    },
    intend(href) {
      const url = localAddress(href)
      if (url !== undefined && mayPrefetch()) void router.prefetch(url, 'intent').catch(ignore)
    },
  }
}

function localAddress(href: string): string | undefined {
  const target = new URL(href, location.href)
  return target.origin === location.origin ? target.pathname + target.search : undefined
}

/** Not under Save-Data or on 2G, where users pay for every byte. */
function mayPrefetch(): boolean {
  const { connection } = navigator as Navigator & { connection?: Connection }
  return !connection?.saveData && !/2g$/.test(connection?.effectiveType ?? '')
}

/** A failed prefetch is silent: the click will show what is wrong (P3). */
function ignore(): void {}
