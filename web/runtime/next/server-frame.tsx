// What only a document of a site of Next.js has: the parts of the head that `next/head` and `next/script` contribute
// (X3), and the data element (X2).

import type { DataKind } from '@portico/shared/wire/build-output.ts'
import { NEXT_DATA_ELEMENT_ID } from '@portico/shared/wire/constants.ts'
import { escapeJson } from '@portico/shared/wire/json/escape-json.ts'
import { localesOf } from '@portico/shared/wire/locales/locales.ts'
import { type NextData, nextProps, nextPropsBody, PREVIEW_MARK } from '@portico/shared/wire/next/next-data.ts'
import type { HydrationData } from '@portico/shared/wire/page-data.ts'
import { parseQuery, splitTarget } from '@portico/shared/wire/routing/urls.ts'
import { Children, cloneElement, isValidElement, type ReactElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import type { DocumentFrame, InitialFlags } from '../react/document-frame.ts'
import {
  HEAD_ATTRIBUTE,
  HeadContext,
  type HeadElement,
  type HeadState,
  headElements,
  LATE_STYLE,
} from './head-state.ts'

/** A frame with what `_document` may read (X10). */
export interface NextFrame extends DocumentFrame {
  /** The elements that the page has contributed to the head. */
  elements(): HeadElement[]
  /** The styles that were added since the last call, as elements. */
  takeStyles(nonce: string | undefined): ReactElement[]
  nextData(hydration: HydrationData): Omit<NextData, 'portico'>
}

/** Makes the frame of one render. `data`: the data function of the page. */
export function createFrame(data: DataKind, flags: InitialFlags = {}): NextFrame {
  const heads = new Map<string, ReactNode>()
  const scripts = new Map<string, HeadElement>()
  const state: HeadState = {
    // A part that suspends is rendered again, with the same id.
    set: (id, children) => void heads.set(id, children),
    remove: (id) => void heads.delete(id),
    addScript: (id, script) => void scripts.set(id, script),
  }
  const write = (node: ReactNode, nonce: string | undefined) =>
    renderToStaticMarkup(
      nonce !== undefined && isValidElement<object>(node) && node.type === 'script'
        ? cloneElement(node, { nonce } as object)
        : node,
    )
  // The cast: the type of each element stays.
  const elements = () =>
    headElements(heads.values()).map((element) => cloneElement(element, { [HEAD_ATTRIBUTE]: '' }) as HeadElement)
  const takeStyles = (nonce: string | undefined) => {
    const taken = state.styles?.styles(nonce === undefined ? {} : { nonce }) ?? []
    state.styles?.flush()
    return taken
  }
  return {
    rootId: '__next',
    wrap: (tree) => <HeadContext value={state}>{tree}</HeadContext>,
    dataElement: (hydration, props, portico) => {
      const members = escapeJson(JSON.stringify(membersOf(hydration, data, flags)))
      const text = `{"props":${nextPropsBody(props, data)},${members.slice(1, -1)},"portico":${portico}}`
      return `<script id="${NEXT_DATA_ELEMENT_ID}" type="application/json">${text}</script>`
    },
    head: (nonce, given = elements()) =>
      // One by one: React would move titles and links before the other elements.
      [...Children.toArray(given), ...scripts.values()].map((node) => write(node, nonce)).join(''),
    elements,
    takeStyles,
    styles: (nonce, isLate) => {
      const html = takeStyles(nonce)
        .map((style) => renderToStaticMarkup(style))
        .join('')
      return isLate ? html.replaceAll('<style id="__', `<style id="${LATE_STYLE}`) : html
    },
    nextData: (hydration) => ({ ...membersOf(hydration, data, flags), props: nextProps(hydration.props, data) }),
  }
}

/** The members of Next.js except the props, as far as they have a meaning here. */
function membersOf(hydration: HydrationData, data: DataKind, flags: InitialFlags): Omit<NextData, 'props' | 'portico'> {
  const { route, params, props, url, buildId, assetPrefix, isFallback = false, isReady } = hydration
  const search = isReady ? splitTarget(url).search : ''
  return {
    page: route,
    // One shell is rendered for all addresses.
    query: isFallback ? {} : { ...parseQuery(search), ...params },
    buildId,
    ...(assetPrefix !== undefined && { assetPrefix }),
    ...(data === 'none' && { nextExport: true, ...(!flags.gip && { autoExport: true }) }),
    isFallback,
    ...(props[PREVIEW_MARK] === true && { isPreview: true }),
    ...(data === 'static' && { gsp: true }),
    ...(data === 'server' && { gssp: true }),
    ...flags,
    ...localesOf(hydration),
  }
}
