// Looks at the pictures of the page: an alternative text and a size are what authors forget (I10).

import type { DevWarning } from '@portico/shared/wire/dev/dev-wire.ts'
import type { MapStack } from './places/map-stack.ts'

export interface PictureAuditDeps {
  mapStack: MapStack
  tell: (warnings: DevWarning[]) => void
}

/** The page settles for this long before its pictures are looked at. */
const SETTLE_MS = 400
/** A page that does not hydrate within so many looks never will. */
const MOST_EARLY_LOOKS = 10

/** Looks now and whenever the page changes. */
export function watchPictures({ mapStack, tell }: PictureAuditDeps): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let round = 0
  let earlyLooks = 0
  const look = async () => {
    const mine = ++round
    const found = [...document.images].flatMap((image) => {
      const texts = faultsOfPicture(image)
      return texts.map((text) => ({ text, stack: creationStack(image) }))
    })
    // Only a hydrated picture tells who made it, and hydration changes nothing that could be observed.
    if (found.some(({ stack }) => stack === '') && earlyLooks++ < MOST_EARLY_LOOKS) return lookSoon()
    const warnings = await Promise.all(
      found.map(async ({ text, stack }): Promise<DevWarning> => {
        const { place } = await mapStack(stack)
        return { text, ...(place && { file: place.file, line: place.line }) }
      }),
    )
    // A later look knows better.
    if (mine === round) tell(withoutRepeats(warnings))
  }
  const lookSoon = () => {
    clearTimeout(timer)
    timer = setTimeout(() => void look(), SETTLE_MS)
  }
  new MutationObserver(lookSoon).observe(document.documentElement, {
    childList: true,
    subtree: true,
    attributeFilter: ['alt', 'src', 'width', 'height', 'style', 'class'],
  })
  lookSoon()
}

/** What is wrong with a picture, as sentences. */
function faultsOfPicture(image: HTMLImageElement): string[] {
  const name = `<img src="${shortAddress(image)}">`
  return [
    ...(image.hasAttribute('alt') || image.getAttribute('role') === 'presentation'
      ? []
      : [`${name} has no alt: say what it shows, or alt="" where it is decoration`]),
    ...(shiftsLayout(image) ? [`${name} has no width and height: the page moves when it arrives`] : []),
  ]
}

/** Whether nothing tells the browser the picture's height before it is there. */
function shiftsLayout(image: HTMLImageElement): boolean {
  if (image.hasAttribute('width') && image.hasAttribute('height')) return false
  const styles = image.computedStyleMap?.()
  // A browser that cannot tell what the style sheets say gets no warning: a false one is worse than none.
  if (!styles || /^(absolute|fixed)$/.test(String(styles.get('position')))) return false
  return String(styles.get('height')) === 'auto' && String(styles.get('aspect-ratio')).startsWith('auto')
}

/** The source that the author wrote: the optimised address holds it as a parameter. */
function shortAddress(image: HTMLImageElement): string {
  const given = image.getAttribute('src') ?? ''
  if (given.startsWith('data:')) return 'data:…'
  const { searchParams } = new URL(given, location.href)
  return (searchParams.get('url') ?? given).slice(0, 100)
}

/** Where the element was made: the development build of React keeps a stack in each fiber. */
function creationStack(image: HTMLImageElement): string {
  const key = Object.keys(image).find((name) => name.startsWith('__reactFiber$'))
  // React's own shape, read with care: it is no public interface.
  const fiber = key === undefined ? undefined : (image as unknown as Record<string, { _debugStack?: unknown }>)[key]
  const stack = fiber?._debugStack
  return stack instanceof Error ? (stack.stack ?? '') : ''
}

function withoutRepeats(warnings: DevWarning[]): DevWarning[] {
  return [...new Map(warnings.map((warning) => [warning.text, warning])).values()]
}
