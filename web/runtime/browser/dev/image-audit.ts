// Checks the images of the page for an alternative text and a size, which authors forget (I10).

import type { DevWarning } from '@portico/shared/wire/dev/dev-wire.ts'
import type { MapStack } from './map-stack.ts'

interface ImageAuditDeps {
  mapStack: MapStack
  report: (warnings: DevWarning[]) => void
}

/** The page settles for this long before its images are checked. */
const SETTLE_MS = 400
/** A page that is not hydrated after this number of checks will not be. */
const MOST_EARLY_CHECKS = 10

/** Checks now and after each change of the page. */
export function watchImages({ mapStack, report }: ImageAuditDeps): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let round = 0
  let earlyChecks = 0
  const check = async () => {
    const mine = ++round
    const found = [...document.images].flatMap((image) => {
      const texts = faultsOf(image)
      return texts.map((text) => ({ text, stack: creationStack(image) }))
    })
    // Only a hydrated image has a creation stack, and hydration changes nothing that the observer sees.
    if (found.some(({ stack }) => stack === '') && earlyChecks++ < MOST_EARLY_CHECKS) return checkSoon()
    const warnings = await Promise.all(
      found.map(async ({ text, stack }): Promise<DevWarning> => {
        const { place } = await mapStack(stack)
        return { text, ...(place && { file: place.file, line: place.line }) }
      }),
    )
    // A later check has newer results.
    if (mine === round) report(withoutRepeats(warnings))
  }
  const checkSoon = () => {
    clearTimeout(timer)
    timer = setTimeout(() => void check(), SETTLE_MS)
  }
  new MutationObserver(checkSoon).observe(document.documentElement, {
    childList: true,
    subtree: true,
    attributeFilter: ['alt', 'role', 'src', 'width', 'height', 'style', 'class'],
  })
  checkSoon()
}

/** The faults of an image, as sentences for the author. */
function faultsOf(image: HTMLImageElement): string[] {
  const name = `<img src="${shortAddress(image)}">`
  return [
    ...(image.hasAttribute('alt') || image.getAttribute('role') === 'presentation'
      ? []
      : [`${name} has no alt: say what it shows, or alt="" where it is decoration`]),
    ...(shiftsLayout(image) ? [`${name} has no width and height: the page moves when the image arrives`] : []),
  ]
}

/** Whether the browser does not know the image's height before the image arrives. */
function shiftsLayout(image: HTMLImageElement): boolean {
  if (image.hasAttribute('width') && image.hasAttribute('height')) return false
  const styles = image.computedStyleMap?.()
  // No warning in a browser that cannot report computed styles: a false warning is worse than none.
  if (!styles || /^(absolute|fixed)$/.test(String(styles.get('position')))) return false
  return String(styles.get('height')) === 'auto' && String(styles.get('aspect-ratio')).startsWith('auto')
}

/** The source that the author wrote: the address of an optimised image contains it as a parameter. */
function shortAddress(image: HTMLImageElement): string {
  const given = image.getAttribute('src') ?? ''
  if (given.startsWith('data:')) return 'data:…'
  const { searchParams } = new URL(given, location.href)
  return (searchParams.get('url') ?? given).slice(0, 100)
}

/** The stack of the element's creation: the development build of React keeps a stack in each fiber. */
function creationStack(image: HTMLImageElement): string {
  const key = Object.keys(image).find((name) => name.startsWith('__reactFiber$'))
  // React's own shape is not a public interface: each member may be missing.
  const fiber = key === undefined ? undefined : (image as unknown as Record<string, { _debugStack?: unknown }>)[key]
  const stack = fiber?._debugStack
  return stack instanceof Error ? (stack.stack ?? '') : ''
}

function withoutRepeats(warnings: DevWarning[]): DevWarning[] {
  return [...new Map(warnings.map((warning) => [warning.text, warning])).values()]
}
