// The time for what the shown page does not need.

/** Calls when the browser is idle. */
export function whenIdle(run: () => void): void {
  ;(window.requestIdleCallback ?? setTimeout)(() => run())
}

/** Calls when the document is loaded, with the images that it does not load lazily, and the browser is idle. */
export function whenLoaded(run: () => void): void {
  if (document.readyState === 'complete') whenIdle(run)
  else addEventListener('load', () => whenIdle(run), { once: true })
}
