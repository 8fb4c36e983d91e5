// Tells screen readers of a new page, and moves the focus to it (N3).

/** Tells screen readers the title, and moves the focus to the page's start, without scrolling, soon after the call. */
export function createAnnouncer(): (movesFocus: boolean) => void {
  const region = document.createElement('p')
  region.id = 'portico-announcer'
  region.setAttribute('aria-live', 'assertive')
  region.style.cssText =
    'position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap'
  document.body.append(region)
  let focused: EventTarget | null = document.activeElement
  document.addEventListener('focusin', ({ target }) => {
    focused = target
  })
  const announce = (movesFocus: boolean) => {
    region.textContent = document.title
    // Within a page too, what had the focus may have gone, as a link does that its results took the place of.
    const isLost = document.activeElement === document.body && focused instanceof Element && !focused.isConnected
    if (!movesFocus && !isLost) return
    const start = find('main h1') ?? find('h1') ?? find('main') ?? document.body
    if (!start.hasAttribute('tabindex')) {
      start.setAttribute('tabindex', '-1')
      // A heading that was focused by the router, not by the visitor, needs no ring.
      start.style.outline = 'none'
    }
    start.focus({ preventScroll: true })
  }
  // After the new page was painted: neither is to be seen, and both take their time.
  return (movesFocus) => requestAnimationFrame(() => setTimeout(announce, 0, movesFocus))
}

function find(selector: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(selector)
}
