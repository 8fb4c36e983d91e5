import type { ReactElement } from 'react'

/** The HTML of an element, on either side. */
export async function renderTree(element: ReactElement): Promise<string> {
  if (typeof window === 'undefined') return (await import('react-dom/server')).renderToString(element)
  const [{ createRoot }, { flushSync }] = await Promise.all([import('react-dom/client'), import('react-dom')])
  const box = document.createElement('div')
  const root = createRoot(box)
  flushSync(() => root.render(element))
  const html = box.innerHTML
  root.unmount()
  return html
}
