// What the stylesheets of a document declare for an element, read from its HTML and from what it links.

import { unescapeHtml } from '../../../e2e/harness/http.ts'
import type { HttpSite } from '../../harness/behaviour.ts'

export interface Sheets {
  html: string
  /** The stylesheets of the document, in its order. */
  sheets: readonly { href?: string; css: string }[]
}

export async function sheetsOf(site: HttpSite, path: string): Promise<Sheets> {
  const html = await site.text(path)
  const found = [...html.matchAll(/<link [^>]*rel="stylesheet"[^>]*>|<style[^>]*>([^<]*)<\/style>/g)]
  const sheets = await Promise.all(
    found.map(async ([tag, text]) => {
      if (text !== undefined) return { css: text }
      const href = unescapeHtml(/href="([^"]+)"/.exec(tag)?.[1] ?? '')
      return { href, css: await site.text(href) }
    }),
  )
  return { html, sheets }
}

/** The classes of the element with the id. */
export function classesOf({ html }: Sheets, id: string): string[] {
  const tag = new RegExp(`<[a-z]+ [^>]*id="${id}"[^>]*>`).exec(html)?.[0] ?? ''
  return (/class="([^"]*)"/.exec(tag)?.[1] ?? '').split(' ').filter(Boolean)
}

/** What the last rule with one of the selectors declares. */
export function declared({ sheets }: Sheets, selectors: readonly string[], property: string): string | undefined {
  const rules = sheets.flatMap(({ css }) => [...css.replaceAll(/\/\*[\s\S]*?\*\//g, '').matchAll(/([^{};]+)\{((?:"[^"]*"|[^{}"])*)\}/g)])
  const values = rules
    .filter(([, list = '']) => list.split(',').some((selector) => selectors.includes(compact(selector))))
    .flatMap(([, , body = '']) => [...body.matchAll(/([\w-]+)\s*:\s*((?:"[^"]*"|[^;"])+)/g)])
    .filter(([, name]) => name === property)
  return values.at(-1)?.[2]?.trim()
}

/** What applies to the element, of rules whose selector is one class. */
export function appliedTo(styles: Sheets, id: string, property: string): string | undefined {
  return declared(
    styles,
    classesOf(styles, id).map((name) => `.${name}`),
    property,
  )
}

/** Statuses of what the addresses in a value of a stylesheet respond with; an address may have its content. */
export async function loadedFrom(site: HttpSite, { sheets }: Sheets, value = ''): Promise<number[]> {
  const base = site.origin + (sheets.find(({ css }) => css.includes(value))?.href ?? '/')
  const addresses = [...value.matchAll(/url\((?:"([^"]*)"|'([^']*)'|([^)]*))\)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '')
  return Promise.all(addresses.map(async (address) => (await fetch(new URL(address, base))).status))
}

const compact = (selector: string) =>
  selector
    .trim()
    .replaceAll(/\s*([>+~])\s*/g, '$1')
    .replaceAll('::', ':')
