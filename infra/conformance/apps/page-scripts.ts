// Functions that run in the page: each one is sent to Chromium as its source and sees nothing of this module.

/** Brings each image into view, as a user who scrolls does, and says which ones have loaded. */
export async function loadImages(): Promise<string> {
  const images = [...document.images].filter((image) => !image.ariaHidden)
  const lines: string[] = []
  for (const image of images) {
    image.scrollIntoView()
    // An observer of the page replaces the placeholder of an image some frames later.
    await new Promise((done) => setTimeout(done, 200))
    await Promise.race([image.decode().catch(() => undefined), new Promise((done) => setTimeout(done, 5000))])
    const state = image.complete && image.naturalWidth > 0 ? 'loaded' : 'broken'
    lines.push(`${image.alt || '-'} ${image.clientWidth}x${image.clientHeight} ${state}`)
  }
  scrollTo(0, 0)
  return lines.join('\n')
}

/** Title, text, metadata, the look of each element, the links of this site and the number of forms. */
export function describePage() {
  // Only screen readers read it.
  for (const region of document.querySelectorAll('next-route-announcer, body > [aria-live=assertive]')) region.remove()
  const elements = [...document.querySelectorAll('#__next *')].slice(0, 400)
  const metadata = [...document.querySelectorAll('head meta, head link[rel=icon], head link[rel=canonical]')].map(
    (tag) =>
      ['name', 'property', 'rel', 'charset', 'content', 'href'].map((name) => tag.getAttribute(name) ?? '').join(' '),
  )
  const links = [...document.querySelectorAll('a[href]')].map((link) => link.getAttribute('href') ?? '')
  return {
    title: document.title,
    text: (document.body?.innerText ?? '').replace(/\s*\n\s*/g, '\n').trim(),
    metadata: metadata.sort().join('\n'),
    style: elements
      .map((element) => {
        const { color, backgroundColor, display, fontSize, fontWeight, position } = getComputedStyle(element)
        return `${element.tagName.toLowerCase()} ${color} ${backgroundColor} ${display} ${fontSize} ${fontWeight} ${position}`
      })
      .join('\n'),
    hrefs: [...new Set(links)].filter((href) => /^\/(?!\/)/.test(href) && !href.startsWith('/api/')),
    forms: document.forms.length,
  }
}

/** What to type into a field: `check` for one that is ticked, nothing for one that is left alone. */
export function fillForm(field: Element): string {
  const type = field.getAttribute('type') ?? 'text'
  if (field.tagName === 'SELECT' || ['hidden', 'submit', 'button', 'file', 'reset', 'image'].includes(type)) return ''
  if (type === 'checkbox' || type === 'radio') return 'check'
  if (type === 'email' || /mail/i.test(field.getAttribute('name') ?? '')) return 'ada@example.org'
  if (type === 'number' || type === 'range') return '3'
  if (type === 'date') return '2001-02-03'
  return type === 'password' ? 'a-long-Passw0rd' : 'Ada'
}
