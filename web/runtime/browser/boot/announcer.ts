// Announces a new page to screen readers, and moves the focus to the page (N3).

/**
 * Announces the title, or without one the heading or the path, and moves the focus to the start of the page without
 * scrolling, soon after the call.
 */
export function createAnnouncer(): (movesFocus: boolean) => void {
  const region = document.createElement('p')
  region.id = 'portico-announcer'
  region.setAttribute('aria-live', 'assertive')
  // Invisible, and no part of what scrolls.
  region.style.cssText = 'position:fixed;clip-path:inset(50%)'
  document.body.append(region)
  let focused: EventTarget | null = document.activeElement
  document.addEventListener('focusin', ({ target }) => {
    focused = target
  })
  const announce = (movesFocus: boolean) => {
    region.textContent = document.title || find('h1')?.textContent || location.pathname
    // A move within a page may also remove the focused element, for example a link that search results replaced.
    const isLost = document.activeElement === document.body && focused instanceof Element && !focused.isConnected
    if (!movesFocus && !isLost) return
    const start = find('main h1') ?? find('h1') ?? find('main') ?? document.body
    if (!start.hasAttribute('tabindex')) {
      start.setAttribute('tabindex', '-1')
      // The router, not the user, focuses the heading: no focus ring.
      start.style.outline = 'none'
    }
    start.focus({ preventScroll: true })
  }
  // After the new page was painted: announcement and focus are invisible and take time.
  return (movesFocus) => requestAnimationFrame(() => setTimeout(announce, 0, movesFocus))
}

function find(selector: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(selector)
}
