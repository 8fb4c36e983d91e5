// Keyboard navigation: Tab until an element has the focus, and check at every stop that the focus can be seen.

import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** More stops than any page has. */
const MOST_STOPS = 150
/** Room around an element for its ring. */
const RING_PX = 14

interface Keyboard {
  /** Tabs to the element whose name begins with these words; it and the ring around it must be seen. */
  tabTo(name: string, options?: { within?: number }): Promise<void>
  /** Tabs to it and presses Enter. */
  follow(name: string): Promise<void>
  /** Waits until the focus is on the element whose name begins with these words. */
  expectFocus(name: string): Promise<void>
  /** Waits until a page is shown whose heading begins with these words, and has the focus. */
  arriveAt(heading: string): Promise<void>
  /** Tabs from the first stop to the last; each must be seen. Returns their names. */
  tabThrough(): Promise<string[]>
}

interface Stop {
  /** Nearly the accessible name. */
  name: string
  isHeading: boolean
  /** undefined when nothing has the focus. */
  box: { x: number; y: number; width: number; height: number } | undefined
  /** Why it cannot be seen, apart from its ring. */
  fault: string | undefined
}

export function createKeyboard(page: Page): Keyboard {
  const stop = () => page.evaluate(readStop)

  const expectSeen = async ({ name, box, fault }: Stop): Promise<void> => {
    if (fault || !box) throw new Error(`"${name}" ${fault}`)
    const { width, height } = page.viewportSize()!
    const left = Math.max(0, box.x - RING_PX)
    const top = Math.max(0, box.y - RING_PX)
    const clip = {
      x: left,
      y: top,
      width: Math.min(width, box.x + box.width + RING_PX) - left,
      height: Math.min(height, box.y + box.height + RING_PX) - top,
    }
    const focused = await page.screenshot({ clip })
    await page.evaluate(() => {
      const element = document.activeElement as HTMLElement
      Object.assign(globalThis, { lately: element })
      element.blur()
    })
    const blurred = await page.screenshot({ clip })
    await page.evaluate(() => (globalThis as unknown as { lately: HTMLElement }).lately.focus({ preventScroll: true }))
    if (focused.equals(blurred)) throw new Error(`nothing shows that "${name}" has the focus`)
  }

  const tab = async (): Promise<Stop> => {
    await page.keyboard.press('Tab')
    return stop()
  }

  const tabTo = async (name: string, { within = MOST_STOPS } = {}): Promise<void> => {
    const passed: string[] = []
    while (passed.length < within) {
      const reached = await tab()
      if (reached.fault && reached.box) throw new Error(`"${reached.name}" ${reached.fault}`)
      if (reached.name.startsWith(name)) return expectSeen(reached)
      passed.push(reached.name)
    }
    throw new Error(`Tab does not come to "${name}", only to ${passed.join(' · ')}`)
  }

  return {
    tabTo,
    async follow(name) {
      await tabTo(name)
      await page.keyboard.press('Enter')
    },
    async expectFocus(name) {
      await expect
        .poll(async () => (await stop()).name, { timeout: 15_000 })
        .toMatch(new RegExp(`^${RegExp.escape(name)}`))
    },
    async arriveAt(heading) {
      const shown = async () => {
        const { name, isHeading } = await stop()
        return isHeading ? name : `no heading, but ${name}`
      }
      await expect.poll(shown, { timeout: 15_000 }).toMatch(new RegExp(`^${RegExp.escape(heading)}`))
    },
    async tabThrough() {
      const names: string[] = []
      for (;;) {
        const reached = await tab()
        // Past the last stop the browser's own bar has the focus.
        if (!reached.box && names.length > 0) return names
        await expectSeen(reached)
        names.push(reached.name)
        if (names.length > MOST_STOPS) throw new Error(`Tab goes in circles: ${names.slice(-10).join(' · ')}`)
      }
    },
  }
}

/** Runs in the page. */
function readStop(): Stop {
  const element = document.activeElement
  if (!(element instanceof HTMLElement) || element === document.body)
    return { name: 'nothing', isHeading: false, box: undefined, fault: 'has the focus' }
  const labels = (element as HTMLInputElement).labels
  const label = element.getAttribute('aria-label') ?? labels?.[0]?.textContent ?? element.textContent ?? ''
  const name = label.replaceAll(/\s+/g, ' ').trim()
  const { x, y, width, height } = element.getBoundingClientRect()
  const isInView = x + width > 0 && y + height > 0 && x < innerWidth && y < innerHeight
  // A link may go over two lines: the middle of its first part.
  const part = element.getClientRects()[0] ?? new DOMRect(x, y, width, height)
  const at = document.elementFromPoint(
    Math.min(Math.max(part.x + part.width / 2, 0), innerWidth - 1),
    Math.min(Math.max(part.y + part.height / 2, 0), innerHeight - 1),
  )
  const isCovered = !at || !(element.contains(at) || at.contains(element))
  const fault = isInView ? (isCovered ? 'is covered by something else' : undefined) : 'is out of the window'
  return { name, isHeading: element.tagName === 'H1', box: { x, y, width, height }, fault }
}
