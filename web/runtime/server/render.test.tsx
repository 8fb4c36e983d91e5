// Rendering to documents: one page, three ways, the same bytes.

import { createHash } from 'node:crypto'
import type { RenderInput, RenderResult } from '@portico/shared/wire/bundles.ts'
import type { HydrationData } from '@portico/shared/wire/page-data.ts'
import fc from 'fast-check'
import { createElement, Fragment, type ReactElement, type ReactNode, Suspense, use, useId } from 'react'
import { describe, expect, test } from 'vitest'
import { actionHost, createActionReference } from '../react/action-reference.ts'
import { DefaultDocument, Head, Html, Main, Scripts } from '../react/document-parts.tsx'
import { createTemplate } from './document.tsx'
import { renderForm } from './form-action.ts'
import { renderPage } from './render.tsx'

actionHost.renderForm = renderForm

const template = createTemplate(DefaultDocument)
const files = { module: 'page-x.js', imports: ['shared-y.js'], styles: ['page-x.css'] }
const entry = { module: 'start-z.js', imports: ['react-r.js'], styles: ['app-s.css'] }

function inputOf(more: Partial<RenderInput> = {}, hydration: Partial<HydrationData> = {}): RenderInput {
  return {
    route: '/plain',
    hydration: {
      buildId: 'b',
      basePath: '',
      trailingSlash: false,
      route: '/plain',
      params: {},
      props: {},
      url: '/',
      status: 200,
      files,
      publicEnv: {},
      isReady: true,
      ...hydration,
    },
    entry,
    nonce: { read: () => 'nonce', value: 'nonce' },
    onError: () => 'digest',
    signal: new AbortController().signal,
    whole: false,
    ...more,
  }
}

async function textOf(result: RenderResult): Promise<string> {
  if (result.kind === 'html') return result.html
  const chunks: Buffer[] = []
  await result.pipe({
    write: (chunk) => {
      chunks.push(Buffer.from(chunk))
      return true
    },
    once: () => {},
  })
  return Buffer.concat(chunks).toString('utf8')
}

/** A tree that suspends once makes the renderer stream its route from then on. */
async function renderStreamed(tree: ReactNode, whole: boolean): Promise<RenderResult> {
  const route = `/streamed-${Math.random()}`
  const pause = Promise.resolve('later')
  const Later = () => use(pause)
  await textOf(await renderPage(<Later />, template, inputOf({ route })))
  return renderPage(<>{tree}</>, template, inputOf({ route, whole }))
}

function Identified() {
  const id = useId()
  return (
    <>
      <label htmlFor={id}>Name</label>
      <input id={id} defaultValue={'"<&>'} />
    </>
  )
}

const pages: Record<string, ReactNode> = {
  text: ['a', 'b', 7, null, false, <b key="b">c</b>, '</script><!-- & "'],
  'hoisted elements': (
    <main>
      <title>Page</title>
      <meta name="description" content="a &amp; b" />
      <link rel="canonical" href="/x" />
      <h1>Page</h1>
    </main>
  ),
  'ids and fields': (
    <form action="/search">
      <Identified />
      <Identified />
      <select defaultValue="2">
        <option value="1">1</option>
        <option value="2">2</option>
      </select>
      <textarea defaultValue={'\n line'} />
    </form>
  ),
  'raw markup': <div dangerouslySetInnerHTML={{ __html: '<p>raw</p>' }} />,
  'a boundary that does not wait': (
    <Suspense fallback="wait">
      <p>ready</p>
    </Suspense>
  ),
  'many elements': Array.from({ length: 3000 }, (_, at) => `n${at}`).map((name) => (
    <p key={name} id={name}>
      {'\u00e9\u{1f600}'.repeat(5)}
    </p>
  )),
}

describe('same bytes', () => {
  for (const [name, page] of Object.entries(pages))
    test(`D2 ${name}: rendered at once, streamed and waited for`, async () => {
      const atOnce = await renderPage(<>{page}</>, template, inputOf())
      expect(atOnce).toMatchObject({ kind: 'html', incomplete: false })
      const streamed = await renderStreamed(page, false)
      expect(streamed.kind).toBe('stream')
      const whole = await renderStreamed(page, true)
      expect(whole.kind).toBe('html')
      expect(await textOf(whole)).toBe(await textOf(atOnce))
      expect(await textOf(streamed)).toBe(await textOf(atOnce))
    })

  test('D2 any tree of elements and text', async () => {
    const { node } = fc.letrec<{ node: ReactNode }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        fc.string({ unit: 'grapheme' }),
        fc
          .tuple(
            fc.constantFrom('div', 'p', 'em', 'ul', 'title', 'section'),
            fc.string(),
            fc.array(tie('node'), { maxLength: 4 }),
          )
          .map(([tag, label, children]) =>
            tag === 'title'
              ? createElement('title', null, label)
              : createElement(tag, { 'aria-label': label }, ...children),
          ),
        fc.array(tie('node'), { maxLength: 3 }).map((children) => createElement(Fragment, null, ...children)),
      ),
    }))
    await fc.assert(
      fc.asyncProperty(node, async (page) => {
        const atOnce = await textOf(await renderPage(<>{page}</>, template, inputOf()))
        expect(await textOf(await renderStreamed(page, true))).toBe(atOnce)
        expect(await textOf(await renderStreamed(page, false))).toBe(atOnce)
      }),
      { numRuns: 60 },
    )
  })
})

describe('the script for forms', () => {
  const clientForm = <form action={() => {}} />
  const scriptOf = async (result: RenderResult) => /<script>([\s\S]*?)<\/script>/.exec(await textOf(result))?.[1]
  const hashOf = (script: string | undefined) =>
    `'sha256-${createHash('sha256')
      .update(script ?? '')
      .digest('base64')}'`

  test('G6 is the one that was read and tried when React was upgraded', async () => {
    const script = await scriptOf(await renderPage(clientForm, template, inputOf()))
    expect(
      hashOf(script),
      `React writes another script for forms: ${script}
Read what it does (react-dom/server, "injectFormReplayingRuntime"), and what React's browser side reads
("$$reactFormReplay", which submit-action-forms.ts reads, too). Run infra/e2e/behaviours/client/actions.browser.ts.
Then put the new hash here; the renderer computes its own.`,
    ).toBe("'sha256-CwHpiObGc0Kj6qtRFzUVGqk0apwmCrylJaQU+RajuJ0='")
  })

  test('G6 is in whole documents with such a form, with its hash, and without the form neither is there', async () => {
    // Compiled pages have the reference in the place of the author's function.
    const save = createActionReference('save') as () => Promise<void>
    const forms = { client: clientForm, action: <form action={save} />, none: <p /> }
    for (const [name, page] of Object.entries(forms))
      for (const result of [await renderPage(page, template, inputOf()), await renderStreamed(page, true)]) {
        const script = await scriptOf(result)
        expect(script !== undefined, name).toBe(name === 'client')
        expect(result.scriptHashes, name).toEqual(script === undefined ? [] : [hashOf(script)])
      }
  })

  test('G6 has the nonce of a streamed document, and no hash', async () => {
    const result = await renderStreamed(clientForm, false)
    expect(result.scriptHashes).toEqual([])
    expect(await textOf(result)).toContain('<script nonce="nonce">addEventListener("submit"')
  })
})

describe('document', () => {
  test('D7 data of any kind reads back as it was, and cannot end its element', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue(),
        fc.constantFrom('</script>', '<!--', '\u2028', ']]>', '<script'),
        async (value, ending) => {
          const props = { value, [ending]: ending }
          const html = await textOf(await renderPage(<p />, template, inputOf({}, { props })))
          const text = /id="__PORTICO_DATA__">([\s\S]*?)<\/script>/.exec(html)?.[1] ?? ''
          expect(text).not.toMatch(/[<\u2028\u2029]/)
          expect(JSON.parse(text).props).toEqual(JSON.parse(JSON.stringify(props)))
        },
      ),
      { numRuns: 100 },
    )
  })

  test('N7 a page’s styles and scripts are named in the head, each once', async () => {
    const html = await textOf(await renderPage(<p />, template, inputOf()))
    const head = html.slice(0, html.indexOf('</head>'))
    for (const name of ['app-s.css', 'page-x.css', 'page-x.js', 'shared-y.js', 'react-r.js'])
      expect(head.split(`/_portico/static/${name}"`), name).toHaveLength(2)
  })

  test('R5 a _document without one of its parts is refused by name', () => {
    expect(() => createTemplate(() => <html lang="en" />)).toThrow('must contain <Head /> exactly once')
  })

  test('G6 the inline scripts of _document are allowed by the hashes of the text that browsers hash', async () => {
    const inline = 'if (a < b && c) {\r\n  d("é")\r}'
    const Document = () => (
      <Html>
        <Head>
          <script dangerouslySetInnerHTML={{ __html: inline }} />
          <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: '{}' }} />
          <script src="/theme.js" data-x="a > b" />
        </Head>
        <body>
          <Main />
          <Scripts />
          <script type="module">{'e()'}</script>
        </body>
      </Html>
    )
    const sources = ['if (a < b && c) {\n  d("é")\n}', 'e()'].map(
      (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
    )
    const result = await renderPage(<p />, createTemplate(Document), inputOf())
    expect(result.scriptHashes).toEqual(sources)
    expect(template.scriptHashes).toEqual([])
  })

  test('D5 a part that failed makes a document incomplete, and is told by its digest', async () => {
    const broken: unknown[] = []
    const Broken = (): ReactNode => {
      throw new Error('secret')
    }
    const page = (
      <Suspense fallback="wait">
        <Broken />
      </Suspense>
    )
    const result = await renderPage(
      page,
      template,
      inputOf({ route: '/broken', whole: true, onError: (error) => `digest-${broken.push(error)}` }),
    )
    expect(result).toMatchObject({ kind: 'html', incomplete: true })
    const html = await textOf(result)
    expect([html.includes('digest-1'), html.includes('secret at'), broken.length]).toEqual([true, false, 1])
  })

  test('D4 a visitor who left ends a render that waits', async () => {
    const controller = new AbortController()
    const never = new Promise<string>(() => {})
    const Never = () => use(never)
    const waiting = renderPage(
      <Never />,
      template,
      inputOf({ route: '/never', whole: true, signal: controller.signal }),
    )
    controller.abort(new Error('the visitor left'))
    await expect(waiting).rejects.toThrow('the visitor left')
  })
})

test('X3 G6 a document has the head of the frame around its page, and the hashes of the scripts in it', async () => {
  const html = (nonce: string | undefined) => `<script${nonce ? ` nonce="${nonce}"` : ''}>framed()</script>`
  const wrap = (tree: ReactElement) => tree
  const frame = { rootId: '__next', wrap, head: html, dataElement: () => '', styles: () => '' }
  const hash = `'sha256-${createHash('sha256').update('framed()').digest('base64')}'`
  for (const value of ['nonce', undefined]) {
    const input = inputOf({ nonce: { read: () => 'nonce', value } as NonNullable<RenderInput['nonce']> })
    const result = await renderPage(<p>a</p>, template, input, frame)
    expect(result.scriptHashes).toContain(hash)
    expect(await textOf(result)).toMatch(
      new RegExp(`<head>.*${RegExp.escape(html(value))}.*</head>.*<div id="__next"><p>a</p>`, 's'),
    )
  }
})
