// The head of a document that the server renders: collects what `next/head` and `next/script` contribute (X3).

import { cloneElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import type { DocumentFrame } from '../react/contexts/document-frame.ts'
import { HEAD_ATTRIBUTE, HeadContext, type HeadElement, type HeadState, headElements } from './head-state.ts'

/** Makes the frame of one render. */
export function createFrame(): DocumentFrame {
  const heads = new Map<string, ReactNode>()
  const scripts = new Map<string, HeadElement>()
  const state: HeadState = {
    // A part that suspends is rendered again, with the same id.
    set: (id, children) => void heads.set(id, children),
    remove: (id) => void heads.delete(id),
    addScript: (id, script) => void scripts.set(id, script),
  }
  const write = (element: HeadElement, attributes: Record<string, unknown>, nonce: string | undefined) =>
    renderToStaticMarkup(
      cloneElement(element, { ...attributes, ...(nonce !== undefined && element.type === 'script' && { nonce }) }),
    )
  return {
    rootId: '__next',
    wrap: (tree) => <HeadContext value={state}>{tree}</HeadContext>,
    head(nonce) {
      // One by one: React would move titles and links before the other elements.
      const elements = headElements(heads.values()).map((element) => write(element, { [HEAD_ATTRIBUTE]: '' }, nonce))
      return [...elements, ...[...scripts.values()].map((script) => write(script, {}, nonce))].join('')
    },
  }
}
