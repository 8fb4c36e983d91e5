// The thin bar that shows that a navigation is under way (N6). Without React: it must show before the router is loaded.

import { PENDING_BAR_DELAY_MS } from '@portico/shared/wire/constants.ts'

let timer: ReturnType<typeof setTimeout> | undefined
let bar: HTMLElement | undefined

/** Shows the bar when a navigation is still under way 150 ms after the first call with true; removes it with false. */
export function showPendingBar(isPending: boolean): void {
  if (isPending) {
    timer ??= setTimeout(() => {
      bar = createBar()
      document.body.append(bar)
    }, PENDING_BAR_DELAY_MS)
    return
  }
  clearTimeout(timer)
  timer = undefined
  bar?.remove()
}

function createBar(): HTMLElement {
  const created = document.createElement('div')
  created.id = 'portico-pending'
  created.role = 'progressbar'
  created.ariaLabel = 'Loading'
  created.style.cssText =
    'position:fixed;z-index:2147483647;inset:0 0 auto;height:2px;pointer-events:none;background:var(--portico-pending,currentColor);transform-origin:0 0'
  if (!matchMedia('(prefers-reduced-motion:reduce)').matches)
    created.animate(
      { scale: ['.05 1', '.95 1'] },
      { duration: 8000, easing: 'cubic-bezier(0,.7,.2,1)', fill: 'forwards' },
    )
  return created
}
