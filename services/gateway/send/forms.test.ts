// Compressed forms of kept pages: once, with their own tags.

import { brotliDecompressSync } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import type { Form } from '../pages/kept-entry.ts'
import { keptPage } from '../pages/testing/entries.ts'
import { createForms } from './entry.ts'

const headersOf = ({ headers }: Form) =>
  Object.fromEntries(headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]]] : [])))

describe('compressed forms', () => {
  it('C7 makes a form once for all requests that wait for it', async () => {
    const forms = createForms({ log: console })
    const { html } = keptPage()
    expect(forms.of(html!, 'br')).toBeUndefined()
    const onMade = vi.fn()
    const sent = await Promise.all(
      Array.from({ length: 50 }, () => new Promise<Form>((done) => forms.make(html!, 'br', done, onMade))),
    )
    expect(new Set(sent).size).toBe(1)
    expect(onMade.mock.calls).toEqual([[sent[0]!.body.length]])
    expect(forms.of(html!, 'br')).toBe(sent[0])
    expect(brotliDecompressSync(sent[0]!.body)).toEqual(html!.plain.body)
    // What is counted is what the form holds: no pool of buffers.
    expect(sent[0]!.body.buffer.byteLength).toBe(sent[0]!.body.length)
    expect(headersOf(sent[0]!)).toEqual({
      ...headersOf(html!.plain),
      'content-encoding': 'br',
      etag: `W/${html!.etag!.slice(0, -1)}~br"`,
      'content-length': String(sent[0]!.body.length),
    })
  })

  it('C7 sends a small body plain', () => {
    const { data } = keptPage()
    expect(createForms({ log: console }).of(data, 'gzip')).toBe(data.plain)
  })

  it('C7 sends plain bodies while many forms wait', async () => {
    const forms = createForms({ log: console })
    const parts = Array.from({ length: 40 }, (_, index) => keptPage(`page ${index}`).html!)
    const sent = await Promise.all(
      parts.map((part) => new Promise<Form>((done) => forms.make(part, 'zstd', done, () => {}))),
    )
    const plain = sent.filter((form, index) => form === parts[index]!.plain)
    expect(plain.length).toBe(23)
  })
})
