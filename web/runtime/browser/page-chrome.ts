// What the router adds to a page without React: the pending bar (N6), the announcer and the moved focus (N3).

import { PENDING_BAR_DELAY_MS } from '../../../services/shared/wire/constants.ts'

/** Shows a thin bar when it is called with true and still pending 150 ms later. */
export function createPendingBar(): (isPending: boolean) => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let bar: HTMLElement | undefined
  return (isPending) => {
    clearTimeout(timer)
    if (!isPending) {
      bar?.remove()
      bar = undefined
      return
    }
    timer = setTimeout(() => {
      bar ??= createBar()
      document.body.append(bar)
    }, PENDING_BAR_DELAY_MS)
  }
}

function createBar(): HTMLElement {
  const bar = document.createElement('div')
  bar.id = 'portico-pending'
  bar.setAttribute('role', 'progressbar')
  bar.setAttribute('aria-label', 'Loading')
  bar.style.cssText =
    'position:fixed;inset:0 0 auto 0;height:2px;z-index:2147483647;pointer-events:none;background:var(--portico-pending,currentColor);transform-origin:0 0'
  if (!matchMedia('(prefers-reduced-motion: reduce)').matches)
    bar.animate(
      [{ transform: 'scaleX(.05)' }, { transform: 'scaleX(.7)', offset: 0.3 }, { transform: 'scaleX(.95)' }],
      {
        duration: 8000,
        easing: 'ease-out',
        fill: 'forwards',
      },
    )
  return bar
}

/** Tells screen readers the title, and moves the focus to the page's start, without scrolling. */
export function createAnnouncer(): (movesFocus: boolean) => void {
  const region = document.createElement('p')
  region.id = 'portico-announcer'
  region.setAttribute('aria-live', 'assertive')
  region.style.cssText =
    'position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap'
  document.body.append(region)
  return (movesFocus) => {
    region.textContent = document.title
    if (!movesFocus) return
    const start = find('main h1') ?? find('h1') ?? find('main') ?? document.body
    if (!start.hasAttribute('tabindex')) {
      start.setAttribute('tabindex', '-1')
      // A heading that was focused by the router, not by the visitor, needs no ring.
      start.style.outline = 'none'
    }
    start.focus({ preventScroll: true })
  }
}

function find(selector: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(selector)
}
